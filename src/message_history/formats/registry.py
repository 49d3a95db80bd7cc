"""All formats by name, and which of them a file is in."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from attrs import evolve

from message_history.core.messages.repairs import InvariantError
from message_history.files.files import FileForm, NotRecognisedError, UnreadableFileError
from message_history.files.naming import kind_of
from message_history.files.written_like import written_like
from message_history.formats.adk import ADK
from message_history.formats.agent_framework import AGENT_FRAMEWORK
from message_history.formats.agent_streams import CLAUDE_STREAM, CURSOR_STREAM
from message_history.formats.agents_js import AGENTS_JS
from message_history.formats.ai_sdk import AI_SDK
from message_history.formats.ai_sdk_model import AI_SDK_MODEL
from message_history.formats.aider import AIDER
from message_history.formats.amazon_q import AMAZON_Q, AMAZON_Q_DATABASE
from message_history.formats.amp import AMP
from message_history.formats.antigravity import ANTIGRAVITY
from message_history.formats.assistants_threads import ASSISTANTS_THREADS
from message_history.formats.atif import ATIF
from message_history.formats.autogen import AUTOGEN
from message_history.formats.batch_results import BATCH_RESULTS
from message_history.formats.chat_databases import AGNO, CHAT_DATABASES, LANGCHAIN_ROWS
from message_history.formats.chatgpt_export import CHATGPT_EXPORT
from message_history.formats.claude_code import CLAUDE_CODE
from message_history.formats.claude_export import CLAUDE_EXPORT
from message_history.formats.cline import CLINE_DISPLAY
from message_history.formats.cline_sessions import CLINE
from message_history.formats.codex import CODEX
from message_history.formats.codex_stream import CODEX_STREAM
from message_history.formats.continue_dev import CONTINUE
from message_history.formats.conversation_lists import CONVERSATION_LISTS
from message_history.formats.copilot_cli import COPILOT_CLI
from message_history.formats.copilot_replay import COPILOT_REPLAY
from message_history.formats.crewai import CREWAI
from message_history.formats.cursor import CURSOR
from message_history.formats.cursor_databases import CURSOR_AGENT_DATABASE, CURSOR_DATABASE
from message_history.formats.deepseek_export import DEEPSEEK_EXPORT
from message_history.formats.dify import DIFY
from message_history.formats.docker_agent import DOCKER_AGENT
from message_history.formats.droid import DROID, DROID_STREAM
from message_history.formats.exchanges import EXCHANGES
from message_history.formats.gemini_cli import GEMINI_CLI
from message_history.formats.gemini_stream import GEMINI_STREAM
from message_history.formats.goose import GOOSE, GOOSE_STREAM
from message_history.formats.grok_cli import GROK_CLI
from message_history.formats.grok_export import GROK_EXPORT
from message_history.formats.haystack import HAYSTACK
from message_history.formats.hermes import HERMES
from message_history.formats.inspect_logs import INSPECT_LOGS
from message_history.formats.instructions import INSTRUCTIONS
from message_history.formats.kimi_cli import KIMI_CONTEXT, KIMI_WIRE
from message_history.formats.kimi_code import KIMI_CODE
from message_history.formats.kiro import KIRO
from message_history.formats.kiro_cli import KIRO_CLI
from message_history.formats.kit.base import Fit, Reading
from message_history.formats.langchain_dumps import LANGCHAIN
from message_history.formats.langfuse import LANGFUSE
from message_history.formats.langgraph_database import LANGGRAPH_DATABASE
from message_history.formats.langsmith import LANGSMITH
from message_history.formats.letta import LETTA
from message_history.formats.librechat import LIBRECHAT
from message_history.formats.llama_factory import LLAMA_FACTORY
from message_history.formats.llama_index import LLAMA_INDEX
from message_history.formats.managed_agents import MANAGED_AGENTS
from message_history.formats.message_lists import MESSAGE_LISTS, strange_entry
from message_history.formats.mistral_vibe import MISTRAL_VIBE
from message_history.formats.named_lists import NAMED_LISTS
from message_history.formats.open_webui import OPEN_WEBUI
from message_history.formats.opencode import OPENCODE, OPENCODE_STORAGE
from message_history.formats.opencode_events import OPENCODE_EVENTS
from message_history.formats.opencode_stream import OPENCODE_STREAM
from message_history.formats.openhands import OPENHANDS
from message_history.formats.other_roles import OTHER_ROLES
from message_history.formats.own_sessions import OWN_SESSIONS
from message_history.formats.phoenix import PHOENIX
from message_history.formats.pi import PI
from message_history.formats.pi_stream import PI_STREAM
from message_history.formats.preferences import PREFERENCES
from message_history.formats.qwen_code import QWEN_CODE
from message_history.formats.request_logs import REQUEST_LOGS
from message_history.formats.session_databases import SESSION_DATABASES
from message_history.formats.session_traces import SESSION_TRACES
from message_history.formats.sharegpt import SHAREGPT
from message_history.formats.smolagents import SMOLAGENTS
from message_history.formats.strands import STRANDS
from message_history.formats.swe_agent import MINI_SWE_AGENT, SWE_AGENT
from message_history.formats.tau_bench import TAU2_BENCH, TAU_BENCH
from message_history.formats.vscode_chat import VSCODE_CHAT
from message_history.formats.windsurf import WINDSURF
from message_history.formats.zed import ZED, ZED_DATABASE

if TYPE_CHECKING:
    from message_history.core.messages.policy import Policy
    from message_history.files.conversations import Conversation
    from message_history.formats.kit.base import Format, Rewritten
    from message_history.formats.kit.document import Document

_ALL: Final = (
    *(OWN_SESSIONS, CLAUDE_CODE, CODEX, PI, GEMINI_CLI, QWEN_CODE, CURSOR, COPILOT_CLI, DROID, DROID_STREAM),
    *(CLAUDE_STREAM, CODEX_STREAM, PI_STREAM, GEMINI_STREAM, CURSOR_STREAM, GOOSE_STREAM, OPENCODE_STREAM),
    *(
        GROK_CLI,
        MISTRAL_VIBE,
        KIMI_CONTEXT,
        KIMI_WIRE,
        KIMI_CODE,
        ANTIGRAVITY,
        WINDSURF,
        ZED,
        AMP,
        AMAZON_Q,
        KIRO_CLI,
        KIRO,
        GOOSE,
        HERMES,
        DOCKER_AGENT,
        CLINE,
        CLINE_DISPLAY,
    ),
    *(
        VSCODE_CHAT,
        COPILOT_REPLAY,
        OPENCODE,
        OPENCODE_STORAGE,
        OPENCODE_EVENTS,
        AIDER,
        CONTINUE,
        AI_SDK,
        AI_SDK_MODEL,
        AGENTS_JS,
        LANGCHAIN,
        AUTOGEN,
        LLAMA_INDEX,
        HAYSTACK,
    ),
    *(
        AGENT_FRAMEWORK,
        ADK,
        CREWAI,
        CHATGPT_EXPORT,
        CLAUDE_EXPORT,
        DEEPSEEK_EXPORT,
        GROK_EXPORT,
        LIBRECHAT,
        OPEN_WEBUI,
        ASSISTANTS_THREADS,
        MANAGED_AGENTS,
    ),
    *(
        STRANDS,
        LETTA,
        SMOLAGENTS,
        DIFY,
        AGNO,
        LANGCHAIN_ROWS,
        LANGFUSE,
        LANGSMITH,
        PHOENIX,
        INSPECT_LOGS,
        SWE_AGENT,
        MINI_SWE_AGENT,
        OPENHANDS,
        TAU_BENCH,
        TAU2_BENCH,
        ATIF,
    ),
    *(*SESSION_DATABASES, *CHAT_DATABASES, LANGGRAPH_DATABASE, CURSOR_DATABASE, CURSOR_AGENT_DATABASE, ZED_DATABASE),
    AMAZON_Q_DATABASE,
    *(SESSION_TRACES, SHAREGPT, LLAMA_FACTORY, BATCH_RESULTS, EXCHANGES, PREFERENCES, INSTRUCTIONS, OTHER_ROLES),
    *(CONVERSATION_LISTS, MESSAGE_LISTS, NAMED_LISTS, REQUEST_LOGS),
)
FORMATS: Final[dict[str, Format]] = {each.name: each for each in _ALL}
"""The formats by name; those of one program first."""
_ODD: Final = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What readers run into when a value is of another type than its program ever writes: such a file is another's."""


def recognise(document: Document) -> Format:
    """Find the format of a file.

    Args:
        document: the file.

    Returns:
        The one format that it is certainly in; a format that many programs write when it is in none of one program.

    Raises:
        NotRecognisedError: when no format fits with certainty, or several of one program do.
        UnreadableFileError: when it is damaged so that nothing can be read.

    Complexity: constant for most formats, which look at the first objects; linear for plain lists.
    """
    fitting = [each for each in _ALL if not each.general and _is_certain(each, document)]
    if len(fitting) > 1:
        raise NotRecognisedError(each.name for each in fitting)
    # Of those that many programs write, the first decides: the last of them look at all of a file.
    fitting = fitting or list(islice((each for each in _ALL if each.general and _is_certain(each, document)), 1))
    if fitting:
        return fitting[0]
    nearest = nearest_formats(document)
    if nearest:
        raise NotRecognisedError(nearest, strange_entry(document) if MESSAGE_LISTS.name in nearest else "")
    try:
        document.saved  # noqa: B018 - it says why there is none
    except UnreadableFileError as error:
        if not error.sound:
            raise
        raise NotRecognisedError(why=str(error)) from error
    first = next((item for _, item in document.numbered_items), None)
    raise NotRecognisedError(why="no entry in it is a message" + (f"; the first is {kind_of(first)}" if first else ""))


def nearest_formats(document: Document) -> list[str]:
    """Name the formats that a file is like.

    Args:
        document: the file.

    Returns:
        The names of those that have marks in it, in the order of the registry.
    """
    return [each.name for each in _ALL if _fit(each, document) is not Fit.NONE]


def read_as(document: Document, chosen: Format) -> Reading:
    """Read a file in a format.

    Args:
        document: the file.
        chosen: the format.

    Returns:
        The conversations, each with its origin and the rules that it is judged by.

    Raises:
        UnreadableFileError: when it holds no conversation of this format.

    Complexity: linear in the file.
    """
    try:
        reading = chosen.read(document)
    except UnreadableFileError:
        raise
    except _ODD as error:
        raise UnreadableFileError(f"its entries are not built as those of the format {chosen.name}: {error}") from error
    return evolve(reading, conversations=tuple(_finished(each, document, chosen) for each in reading.conversations))


def repair_as(data: bytes, chosen: Format, policy: Policy) -> Rewritten:
    """Repair a file in a format.

    Args:
        data: the file's content.
        chosen: the format.
        policy: decides where there is a choice.

    Returns:
        What to write.

    Raises:
        InvariantError: see `MessageHistory.from_list`.
        UnreadableFileError: when files of the format are read only, or its entries are built in another way.

    Complexity: linear in the file.
    """
    if chosen.repair is None:
        raise UnreadableFileError(f"files of the format {chosen.name} are read, not written")
    try:
        written = chosen.repair(data, policy)
    except (UnreadableFileError, InvariantError):
        raise
    except _ODD as error:
        raise UnreadableFileError(f"its entries are not built as those of the format {chosen.name}: {error}") from error
    return written._replace(data=written_like(written.data, data))


def _is_certain(one: Format, document: Document) -> bool:
    return _fit(one, document) is Fit.CERTAIN


def _fit(one: Format, document: Document) -> Fit:
    try:
        found = one.fit(document)
    except _ODD:
        return Fit.NONE
    # What text quotes is an example: as a session, it would lose the text.
    return min(found, Fit.NEAR) if document.is_prose and not one.of_text else found


def _finished(conversation: Conversation, document: Document, chosen: Format) -> Conversation:
    file = conversation.file
    if document.value is not None and not document.lines and file.container is None:
        # The places in a JSON value are no lines.
        file = evolve(file, form=FileForm.LIST if file.form is FileForm.LINES else file.form, lines=())
    judged = conversation.judged if conversation.judged is not None else chosen.judged
    return evolve(conversation, file=file, judged=judged, origin=evolve(conversation.origin, format=chosen.name))
