// Python, beside the page: it is loaded once from where the page is, and nothing is sent anywhere.
let python, Patient, patient;
const base = new URL(".", import.meta.url);

// What has come of all that is fetched is counted, by Python's own loader too.
const fetched = self.fetch;
let come = 0, all = 0;
self.fetch = async (...asked) => {
  const answer = await fetched(...asked);
  if (!answer.ok || !answer.body) return answer;
  const count = new TransformStream({
    transform(chunk, out) {
      come += chunk.byteLength;
      if (all) postMessage({ loaded: Math.min(1, come / all) });
      out.enqueue(chunk);
    },
  });
  return new Response(answer.body.pipeThrough(count), answer);
};

async function file(name) {
  const answer = await fetch(new URL(name, base));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return answer;
}

async function load() {
  const { wheels, version, bytes } = await (await file("contents.json")).json();
  all = bytes;
  const { loadPyodide } = await import(new URL("pyodide/pyodide.mjs", base));
  python = await loadPyodide({ indexURL: new URL("pyodide/", base).href });
  const site = python.runPython("import site; site.getsitepackages()[0]");
  for (const wheel of wheels) {
    python.unpackArchive(await (await file(wheel)).arrayBuffer(), "wheel", { extractDir: site });
  }
  python.FS.writeFile("/home/pyodide/clinic.py", await (await file("clinic.py")).text());
  python.runPython("import logging; logging.getLogger('message_history').addHandler(logging.NullHandler())");
  Patient = python.pyimport("clinic").Patient;
  return { version, python: python.runPython("import platform; platform.python_version()") };
}

const loaded = load();

const answers = {
  load: () => loaded,
  examine: ({ name, data, error }) => {
    if (patient) patient.destroy();
    patient = Patient(name, python.toPy(new Uint8Array(data)).tobytes(), error);
    return JSON.parse(patient.report());
  },
  page: ({ which }) => patient.page(which),
  download: ({ form }) => {
    const [name, data] = patient.download(form);
    const bytes = data.toJs();
    data.destroy();
    return { name, bytes };
  },
};

// One question at a time: the next waits for the answer to the one before it.
let before = loaded.catch(() => {});
onmessage = ({ data: { id, ask, ...question } }) => {
  before = before.then(async () => {
    try {
      await loaded;
      postMessage({ id, answer: await answers[ask](question) });
    } catch (error) {
      postMessage({ id, error: String(error.message ?? error) });
    }
  });
};
