// The page: it hands files to Python in a worker, and shows the answers as text, never as HTML.
const $ = (id) => document.getElementById(id);
const here = new URL(".", import.meta.url);

// A worker from a blob keeps the policy of this page: it, too, may connect to no other host.
const source = new Blob([`import ${JSON.stringify(new URL("worker.js", here).href)};`], { type: "text/javascript" });
const worker = new Worker(URL.createObjectURL(source), { type: "module" });
const waiting = new Map();
let count = 0;
say("Loading Python (15 MB, once)…");
worker.onmessage = ({ data: { id, answer, error, loaded } }) => {
  if (loaded !== undefined) return void ($("loading").value = loaded);
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) resolve(answer);
  else reject(new Error(error));
};
worker.onerror = () => say("Python could not be loaded. Is this page served over HTTP, with its own files next to it?", true);
function ask(what, question = {}) {
  return new Promise((resolve, reject) => {
    const id = (count += 1);
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, ask: what, ...question });
  });
}

function say(text, wrong = false) {
  $("status").textContent = text;
  $("status").classList.toggle("wrong", wrong);
}
function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.filter((child) => child !== ""));
  return node;
}

// Examining

let asked = 0;
async function examine(name, read, error = "") {
  const turn = (asked += 1);
  const ready = document.body.dataset.ready === "yes";
  say(ready ? `Examining ${name}…` : `Loading Python (15 MB, once), then examining ${name}…`);
  $("result").hidden = true;
  try {
    const data = await read();
    const report = await ask("examine", { name, data, error });
    if (turn !== asked) return;
    if (report.problem) return say(`${name}: ${report.problem}.`, true);
    show(report);
    say("");
  } catch (failure) {
    say(`${name} could not be examined: ${failure.message.trim().split("\n").at(-1)}`, true);
  }
}

function show(report) {
  const whole = report.kind !== undefined;
  $("result").hidden = false;
  $("name").textContent = report.name;
  $("facts").replaceChildren(
    ...(whole
      ? [
          make("span", "fact", report.kind === "messages" ? "a list of messages" : `format: ${report.kind}`),
          make("span", "fact", `dialect: ${report.dialect}`),
          make("span", "fact", counted(report.messages, "message")),
          make("span", `fact ${report.violation_count ? "bad" : "good"}`, report.violation_count ? counted(report.violation_count, "violation") : "no violations"),
          make("span", "fact", counted(report.repair_count, "repair")),
        ]
      : []),
  );
  if (whole && report.others.length) {
    $("facts").append(make("span", "fact", `and ${counted(report.others.length, "more conversation")} in the file`));
  }
  $("explained").replaceChildren(...explained(report));
  for (const id of ["take", "look"]) $(id).hidden = !whole;
  document.querySelector(".columns").hidden = !whole;
  if (whole) {
    fill("violations", report.violations, report.violation_count, violation, "Nothing: the provider takes it as it is.");
    const skipped = report.skipped.map((note) => ({ title: "A line that could not be read", severity: "lossy", code: "", ...note }));
    fill("repairs", [...skipped, ...report.repairs], report.repair_count + skipped.length, repair, "Nothing had to be changed.");
    for (const left of report.left) $("violations").append(make("li", "violation", make("p", "", `Still rejected: ${left}`)));
    const names = { own: "the same file", native: "message-history (keeps everything)" };
    $("unwritten").textContent = report.unwritten;
    const chosen = $("form").value;
    $("form").replaceChildren(...report.forms.map((form) => new Option(names[form] ?? form, form)));
    if (report.forms.includes(chosen)) $("form").value = chosen;
    look("transcript");
  }
  $("name").focus({ preventScroll: true });
  $("result").scrollIntoView({ block: "start" });
}
const counted = (number, thing) => `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;
function fill(id, items, total, draw, nothing) {
  $(id).replaceChildren(...items.map(draw));
  if (!items.length) $(id).append(make("li", "nothing", nothing));
  if (items.length < total) $(id).append(make("li", "nothing", `and ${(total - items.length).toLocaleString("en")} more, in the conversation below`));
}
function violation({ where, path, rule, detail, error, demanded }) {
  return make(
    "li", "violation",
    make("p", "", make("strong", "", detail || error || "rejected")),
    make("p", "place", `${where}${path ? ` ${path}` : ""} · `, make("code", "", rule)),
    error ? make("blockquote", "", error) : "",
    demanded && demanded !== detail ? make("p", "demanded", demanded) : "",
  );
}
function repair({ title, code, severity, where, detail }) {
  return make(
    "li", `repair ${severity}`,
    make("p", "", make("strong", "", title)),
    make("p", "place", [where, ""].filter((part, at) => part || (at === 1 && code)).join(" · "), make("code", "", code)),
    detail ? make("p", "", detail) : "",
  );
}
function explained(report) {
  if (!report.explained.length) {
    if (!report.elsewhere) return [];
    return [make("section", "explained", make("h3", "", "What the error is about"), make("p", "", make("strong", "", `It is ${report.elsewhere}`)))];
  }
  const [first, ...others] = report.explained;
  const box = make(
    "section", "explained",
    make("h3", "", first.score > 0.5 ? "What the error is about" : "What the error may be about"),
    make("p", "", make("span", "label", "what the provider demands "), make("strong", "", first.demanded)),
    first.cause ? make("p", "", make("span", "label", "what causes the error "), first.cause) : "",
    make("p", "place", `${first.dialect} · `, make("code", "", first.rule)),
    first.error ? make("blockquote", "", first.error) : "",
    make("p", "", make("span", "label", first.instead ? "what to do " : "what message-history does "), first.instead || first.repaired),
    first.places.length ? make("ul", "", ...first.places.map((place) => make("li", "", place))) : "",
    others.length ? make("p", "place", `or: ${others.map((each) => `${each.dialect} ${each.rule}`).join(", ")}`) : "",
  );
  if (report.kind === undefined) box.append(make("p", "", "Drop the conversation that got this error, and you see where it breaks the rule."));
  return [box];
}

// The conversation

let looked = 0;
async function look(which) {
  const turn = (looked += 1);
  for (const name of ["transcript", "changes"]) {
    $(`see-${name}`).setAttribute("aria-selected", String(name === which));
    $(`see-${name}`).tabIndex = name === which ? 0 : -1;
  }
  const page = await ask("page", { which });
  if (turn === looked) $("view").srcdoc = page;
}
for (const name of ["transcript", "changes"]) {
  $(`see-${name}`).addEventListener("click", () => look(name));
  $(`see-${name}`).addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const other = name === "transcript" ? "changes" : "transcript";
    $(`see-${other}`).focus();
    look(other);
  });
}

// In and out

$("file").addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  if (file) await examine(file.name, () => file.arrayBuffer(), $("error").value);
  target.value = "";
});
for (const kind of ["dragover", "dragenter"]) {
  addEventListener(kind, (event) => { event.preventDefault(); document.body.classList.add("dragging"); });
}
addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dragging"); });
addEventListener("drop", async (event) => {
  event.preventDefault();
  document.body.classList.remove("dragging");
  const [file] = event.dataTransfer.files;
  if (file) await examine(file.name, () => file.arrayBuffer(), $("error").value);
  else $("pasted").value = event.dataTransfer.getData("text");
});
$("intake").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("pasted").value;
  if (!text.trim()) return say("There is nothing to examine: drop a file or paste something.", true);
  examine("pasted", async () => new TextEncoder().encode(text).buffer, $("error").value);
});
$("sample").addEventListener("click", () => {
  examine("sample.json", async () => (await fetch(new URL("sample.json", here))).arrayBuffer());
});
$("download").addEventListener("click", async () => {
  try {
    const { name, bytes } = await ask("download", { form: $("form").value });
    const link = make("a", "");
    link.href = URL.createObjectURL(new Blob([bytes], { type: "application/json" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    say(`${name} is in your downloads.`);
  } catch (failure) {
    say(`It could not be written: ${failure.message.trim().split("\n").at(-1)}`, true);
  }
});

ask("load").then(
  ({ version, python }) => {
    if (!asked) say("Ready.");
    document.body.dataset.ready = "yes";
    $("versions").textContent = `message-history ${version} on CPython ${python}`;
  },
  (failure) => say(`Python could not be loaded: ${failure.message}`, true),
).finally(() => ($("loading").hidden = true));
