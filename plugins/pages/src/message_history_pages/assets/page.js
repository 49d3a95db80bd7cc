"use strict";
(() => {
  const one = (selector) => document.querySelector(selector);
  const messages = [...document.querySelectorAll("#messages > .message")];
  const search = one("#search"), output = one("#matches"), map = one("#map"), keys = one("#keys"), bar = one(".bar");
  const root = document.documentElement;
  let found = [], query = "", texts = null, here = -1, scheduled = false, dark = false;

  // Places

  const top = () => bar.offsetHeight + 8;
  // With a query, a step goes from match to match; without, from mark to mark.
  const shown = (index) => messages[index].offsetParent !== null;
  function firstBelow(limit) {
    let low = 0, high = messages.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (messages[middle].getBoundingClientRect().bottom > limit) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  function current() {
    if (here >= 0 && here < messages.length) {
      const box = messages[here].getBoundingClientRect();
      if (box.bottom > 0 && box.top < innerHeight) return here;
    }
    return Math.min(firstBelow(top()), messages.length - 1);
  }
  function goTo(index, focus = true) {
    if (index < 0 || index >= messages.length) return;
    if (here >= 0) messages[here].classList.remove("here");
    here = index;
    const message = messages[index];
    message.classList.add("here");
    // Heights above are estimates until they are drawn: the second call corrects the first.
    message.scrollIntoView({ block: "start" });
    if (focus) message.focus({ preventScroll: true });
    requestAnimationFrame(() => message.scrollIntoView({ block: "start" }));
  }
  function step(forward, among) {
    const from = current();
    for (let n = 1; n <= messages.length; n++) {
      const index = from + (forward ? n : -n);
      if (index < 0 || index >= messages.length) break;
      if (among(index) && shown(index)) return goTo(index);
    }
  }
  const marked = (index) => messages[index].classList.contains("marked");
  function stepFound(forward) {
    if (!query) return step(forward, marked);
    if (!found.length) return;
    const from = here >= 0 ? here : current();
    let next = forward ? found.find((index) => index > from) : found.findLast((index) => index < from);
    if (next === undefined) next = forward ? found[0] : found[found.length - 1];
    showMatch(next);
  }

  // Search

  function rangesIn(message) {
    const ranges = [], walker = document.createTreeWalker(message, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.data.toLowerCase();
      if (text.length !== node.data.length) continue;
      for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + query.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + query.length);
        ranges.push(range);
        if (ranges.length >= 500) return ranges;
      }
    }
    return ranges;
  }
  function showMatch(index) {
    const range = rangesIn(messages[index])[0];
    for (let node = range && range.startContainer.parentElement; node && node !== messages[index]; node = node.parentElement) {
      if (node.tagName === "DETAILS") node.open = true;
    }
    const focus = document.activeElement !== search;
    goTo(index, focus);
    if (range) {
      requestAnimationFrame(() => requestAnimationFrame(() => {
        const box = range.getBoundingClientRect();
        if (box.bottom > innerHeight || box.top < top()) range.startContainer.parentElement.scrollIntoView({ block: "center" });
      }));
    }
    output.textContent = `${found.indexOf(index) + 1} of ${found.length.toLocaleString("en")}`;
    draw();
  }
  function find() {
    query = search.value.trim().toLowerCase();
    if (query && !texts) texts = messages.map((message) => message.textContent.toLowerCase());
    found = [];
    if (query) texts.forEach((text, index) => { if (text.includes(query)) found.push(index); });
    output.textContent = !query ? "" : found.length ? `in ${found.length.toLocaleString("en")} messages` : "not found";
    if (found.length === 1 && query) output.textContent = "in 1 message";
    draw();
  }
  function highlight(first, last) {
    if (!globalThis.CSS || !CSS.highlights) return;
    CSS.highlights.clear();
    if (!query) return;
    const all = new Highlight(), now = new Highlight();
    for (let index = first; index <= last; index++) {
      if (texts[index].includes(query)) for (const range of rangesIn(messages[index])) (index === here ? now : all).add(range);
    }
    CSS.highlights.set("match", all);
    CSS.highlights.set("here", now);
  }

  // Map: every message is a band, as high as it is long; what was wrong and what was found stand out

  const weights = messages.map((message) => 1 + Math.sqrt(Number(message.dataset.size) || 0) / 6);
  const starts = [0];
  for (const weight of weights) starts.push(starts[starts.length - 1] + weight);
  const whole = starts[starts.length - 1] || 1;
  const kinds = messages.map((message) => {
    const note = ["violation", "lossy", "synthetic", "lossless"].find((kind) => message.querySelector(`:scope > .note.${kind}`));
    return { role: message.classList.contains("user") ? "user" : "assistant", quiet: message.classList.contains("quiet"), note };
  });
  function draw() {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      const first = Math.min(firstBelow(0), messages.length - 1), last = Math.min(firstBelow(innerHeight), messages.length - 1);
      highlight(first, last);
      if (!map.hidden) paint(first, last);
    });
  }
  function paint(first, last) {
    const scale = devicePixelRatio || 1, width = map.clientWidth, height = map.clientHeight;
    if (map.width !== width * scale || map.height !== height * scale) {
      map.width = width * scale;
      map.height = height * scale;
    }
    const style = getComputedStyle(root), colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const colours = Object.fromEntries(["user", "assistant", "violation", "lossy", "synthetic", "lossless", "now", "ink"].map((name) => [name, colour(name)]));
    const context = map.getContext("2d"), unit = height / whole;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    const half = Math.round(width / 2);
    context.globalAlpha = 0.35;
    kinds.forEach((kind, index) => {
      if (kind.quiet) return;
      const y = starts[index] * unit, size = Math.max(weights[index] * unit - 0.5, 0.4);
      context.fillStyle = colours[kind.role];
      if (kind.role === "user") context.fillRect(half - 2, y, width - half - 4, size);
      else context.fillRect(4, y, half - 4, size);
    });
    context.globalAlpha = 1;
    kinds.forEach((kind, index) => {
      if (!kind.note) return;
      context.fillStyle = colours[kind.note];
      context.fillRect(2, starts[index] * unit, width - 4, Math.max(2, Math.min(4, weights[index] * unit)));
    });
    context.fillStyle = colours.now;
    for (const index of found) context.fillRect(width - 5, starts[index] * unit, 5, 2);
    if (messages.length) {
      const y = starts[first] * unit, end = starts[last + 1] * unit;
      context.globalAlpha = 0.14;
      context.fillStyle = colours.ink;
      context.fillRect(0, y, width, Math.max(end - y, 6));
      context.globalAlpha = 1;
    }
  }
  function follow(event) {
    const at = Math.max(0, Math.min(1, (event.clientY - map.getBoundingClientRect().top) / map.clientHeight)) * whole;
    let index = starts.findIndex((start) => start > at) - 1;
    if (index < 0) index = messages.length - 1;
    messages[index].scrollIntoView({ block: "center" });
    draw();
  }

  // Folding, and light and dark

  const eachFold = (open) => {
    for (const fold of document.querySelectorAll("#messages details:not(.removed):not(.added)")) fold.open = open;
    draw();
  };
  function setDark(on) {
    dark = on;
    root.classList.toggle("dark", on);
    root.classList.toggle("light", !on);
    draw();
  }
  function onlyMarked() {
    const on = document.body.classList.toggle("only-marked");
    one("#do-marked").setAttribute("aria-pressed", String(on));
    if (!on && here >= 0) goTo(here);
    draw();
  }

  const actions = {
    before: () => stepFound(false), next: () => stepFound(true), marked: onlyMarked, open: () => eachFold(true),
    fold: () => eachFold(false), theme: () => setDark(!dark), help: () => keys.showModal(),
  };
  for (const [name, action] of Object.entries(actions)) one(`#do-${name}`).addEventListener("click", action);
  const pressed = {
    j: () => step(true, () => true), k: () => step(false, () => true), n: actions.next, p: actions.before,
    e: actions.open, c: actions.fold, m: actions.marked, t: actions.theme, "?": actions.help,
    "/": () => { search.focus(); search.select(); },
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
    if (event.target === search) {
      if (event.key === "Enter") { event.preventDefault(); stepFound(!event.shiftKey); }
      if (event.key === "Escape") { search.value = ""; find(); search.blur(); }
      return;
    }
    const action = pressed[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  let waiting;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(find, 120); });
  map.addEventListener("pointerdown", (event) => { map.setPointerCapture(event.pointerId); follow(event); });
  map.addEventListener("pointermove", (event) => { if (event.buttons) follow(event); });
  addEventListener("scroll", draw, { passive: true });
  addEventListener("resize", draw);
  document.addEventListener("toggle", draw, true);
  addEventListener("beforeprint", () => eachFold(true));
  const preferred = matchMedia("(prefers-color-scheme: dark)");
  dark = preferred.matches;
  preferred.addEventListener("change", () => { if (!root.classList.length) dark = preferred.matches; draw(); });

  bar.hidden = false;
  root.style.scrollPaddingTop = `${top()}px`;
  if (messages.length > 1) { map.hidden = false; document.body.classList.add("mapped"); }
  if (!messages.some((_, index) => marked(index))) one("#do-marked").hidden = true;
  draw();
})();
