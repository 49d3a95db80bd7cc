"""Judges that others wrote. Nothing here asks a network."""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

os.environ["HF_HUB_OFFLINE"] = "1"
# LLaMA-Factory looks at the versions of what it does not need here.
os.environ["DISABLE_VERSION_CHECK"] = "1"
os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"

# torchaudio refuses to be imported beside another build of torch; nothing here is sound.
_hidden = ModuleType("torchaudio")
_hidden.__spec__ = ModuleSpec("torchaudio", None)
sys.modules.setdefault("torchaudio", _hidden)
