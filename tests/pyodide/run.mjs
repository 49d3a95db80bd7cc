// Runs the tests in Pyodide: node run.mjs PYODIDE PROJECT WHEELS ARGUMENTS...
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, root, wheels, ...given] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(join(pyodide, "pyodide.mjs")));
const python = await loadPyodide({
  env: { HOME: "/tmp", HYPOTHESIS_STORAGE_DIRECTORY: "/tmp/hypothesis", PYTHONDONTWRITEBYTECODE: "1" },
});
const site = python.runPython("import site; site.getsitepackages()[0]");
for (const name of readdirSync(wheels)) {
  python.unpackArchive(new Uint8Array(readFileSync(join(wheels, name))), "wheel", { extractDir: site });
}
python.FS.mkdirTree("/project");
python.FS.mount(python.FS.filesystems.NODEFS, { root }, "/project");
python.globals.set("given", python.toPy(given));
process.exit(
  python.runPython(`
import os, sys
os.chdir("/project")
sys.path.insert(0, "/project")
os.environ.setdefault("HYPOTHESIS_PROFILE", "few")

import pytest

print("CPython", sys.version)
int(pytest.main(["-p", "no:cacheprovider", "-p", "tests.pyodide.plugin", *given]))
`),
);
