"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const NEAR = 0.1, MOST = 1500;
  const count = data.texts.length;
  const state = { view: "overlay", method: 0, beside: null, chosen: null, which: "all" };
  // Each pane has a threshold of its own, on the scale of its method.
  const limits = [{ threshold: 0.5, moved: false }, { threshold: 0.5, moved: false }];
  const sliders = [$("threshold"), $("threshold1")], values = [$("value"), $("value1")];
  const frames = [{ frame: $("frame0"), head: $("head0"), marks: [] }, { frame: $("frame1"), head: $("head1"), marks: [] }];

  const methodOf = (number) => data.methods[number];
  const limitOf = (place) => limits[place].threshold;
  const numberOf = (place) => (place === 0 ? state.method : state.beside);
  function goes(place, segment) {
    const method = methodOf(numberOf(place));
    return limits[place].moved ? method.scores[segment] > limitOf(place) : method.template[segment];
  }
  const differs = (segment) => state.beside !== null && goes(0, segment) !== goes(1, segment);
  const near = (segment) => Math.abs(methodOf(state.method).scores[segment] - limitOf(0)) < NEAR;
  const percent = (share) => Math.round(100 * share) + "%";
  const plural = (number, noun) => number.toLocaleString("en") + " " + noun + (number === 1 ? "" : "s");

  function make(tag, text, kind) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  }

  // ---- frames: no script runs in them; this one reads and marks their nodes ----

  function load(place) {
    const pane = frames[place];
    return new Promise((done) => {
      pane.frame.addEventListener("load", () => { prepare(place); done(); }, { once: true });
      pane.frame.srcdoc = data.frame;
    });
  }

  function prepare(place) {
    const pane = frames[place], inside = pane.frame.contentDocument;
    pane.doc = inside;
    pane.marks = Array.from({ length: count }, () => []);
    for (const node of inside.querySelectorAll("dt-seg[i], [data-dt-seg]")) {
      const numbers = node.localName === "dt-seg" ? [node.getAttribute("i")] : node.getAttribute("data-dt-seg").split(" ");
      for (const text of numbers) {
        const number = Number(text);
        if (number < count) pane.marks[number].push(node);
      }
    }
    // Of each element: how many segments it holds. One whose segments all go, goes.
    pane.holders = new Map();
    pane.above = pane.marks.map((nodes) => {
      const above = [];
      for (let node = nodes[0]; node && !["HTML", "BODY"].includes(node.tagName); node = node.parentElement) {
        above.push(node);
        pane.holders.set(node, (pane.holders.get(node) || 0) + 1);
      }
      return above;
    });
    inside.addEventListener("click", (event) => {
      event.preventDefault();
      const number = segmentAt(event.target);
      if (number !== null) choose(number, place, false);
    });
    inside.addEventListener("submit", (event) => event.preventDefault());
    inside.addEventListener("mouseover", (event) => hover(place, event));
    inside.addEventListener("mouseout", () => { $("tip").hidden = true; });
    inside.addEventListener("scroll", () => follow(place), { passive: true });
  }

  function segmentAt(node) {
    const held = node.closest && node.closest("dt-seg[i], [data-dt-seg]");
    if (!held) return null;
    const number = parseInt(held.getAttribute("i") ?? held.getAttribute("data-dt-seg"), 10);
    return number < count ? number : null;
  }

  function hover(place, event) {
    const number = segmentAt(event.target), tip = $("tip");
    if (number === null || state.view === "original") { tip.hidden = true; return; }
    const method = methodOf(numberOf(place)), box = frames[place].frame.getBoundingClientRect();
    tip.textContent = verdictOf(place, number) + ": " + method.reasons[method.reason[number]].text;
    tip.hidden = false;
    const left = Math.min(box.left + event.clientX + 12, innerWidth - tip.offsetWidth - 8);
    const below = box.top + event.clientY + 18;
    tip.style.left = Math.max(left, 8) + "px";
    tip.style.top = (below + tip.offsetHeight > innerHeight ? below - tip.offsetHeight - 36 : below) + "px";
  }

  let following = false;
  function follow(place) {
    if (state.beside === null || following) return;
    const [from, to] = place === 0 ? frames : [frames[1], frames[0]];
    following = true;
    if (to.doc) to.doc.scrollingElement.scrollTop = from.doc.scrollingElement.scrollTop;
    requestAnimationFrame(() => { following = false; });
  }

  function paint() {
    frames.forEach((pane, place) => {
      if (!pane.doc || (place === 1 && state.beside === null)) return;
      const method = methodOf(numberOf(place)), limit = limitOf(place);
      pane.doc.documentElement.setAttribute("data-dt-view", state.view);
      const gone = new Map();
      for (let number = 0; number < count; number++) {
        const score = method.scores[number], out = goes(place, number);
        const sure = Math.abs(score - limit) / Math.max(limit, 1 - limit);
        for (const node of pane.marks[number]) {
          node.setAttribute("data-dt", out ? "template" : "content");
          node.style.setProperty("--dt", String(Math.round(10 + 28 * sure)));
          node.toggleAttribute("data-dt-near", Math.abs(score - limit) < NEAR);
          node.toggleAttribute("data-dt-differs", differs(number));
        }
        if (out) for (const node of pane.above[number]) gone.set(node, (gone.get(node) || 0) + 1);
      }
      for (const [node, all] of pane.holders) node.toggleAttribute("data-dt-gone", gone.get(node) === all);
      pane.head.textContent = state.beside === null ? "" : head(place);
    });
  }

  function head(place) {
    let texts = 0, chars = 0, all = 0;
    for (let number = 0; number < count; number++) {
      all += data.chars[number];
      if (goes(place, number)) { texts++; chars += data.chars[number]; }
    }
    const method = methodOf(numberOf(place));
    const learned = method.pages ? ", which has learned " + plural(method.pages, "page") + " of the site" : "";
    return method.name + learned + ": " + texts.toLocaleString("en") + " of " + plural(count, "text") + " go" +
      (all ? ", " + percent(chars / all) + " of the characters" : "") + " (above " + limitOf(place).toFixed(2) + ")";
  }

  function summary() {
    let told = head(0) + ".";
    if (state.beside !== null) {
      let number = 0;
      for (let segment = 0; segment < count; segment++) number += differs(segment);
      told += " " + methodOf(state.beside).name + " disagrees on " + plural(number, "text") + ".";
    }
    $("sum").textContent = told;
  }

  // ---- the list of texts, and the reason of the chosen one ----

  const filters = {
    all: () => true, template: (n) => goes(0, n), content: (n) => !goes(0, n), near, differs,
  };
  let listed = [];

  function list() {
    const chosen = filters[state.which], wanted = [];
    for (let number = 0; number < count; number++) if (chosen(number)) wanted.push(number);
    $("count").textContent = plural(wanted.length, "text") + (wanted.length > MOST ? ", the first " + MOST + " are listed" : "") +
      (state.which === "all" && !wanted.some(near) ? ", none near the threshold" : "");
    listed = wanted.slice(0, MOST);
    const items = document.createDocumentFragment();
    for (const number of listed) {
      const item = make("li"), button = make("button"), out = goes(0, number);
      button.type = "button";
      button.dataset.number = number;
      button.tabIndex = -1;
      const score = methodOf(state.method).scores[number].toFixed(2);
      button.append(make("span", (out ? "▼ goes " : "● stays ") + score + (differs(number) ? " ≠" : ""), "mark " + (out ? "template" : "content")), make("span", data.texts[number]));
      if (number === state.chosen) button.setAttribute("aria-current", "true");
      item.append(button);
      items.append(item);
    }
    $("texts").replaceChildren(items);
    const first = $("texts").querySelector("[aria-current]") || $("texts").querySelector("button");
    if (first) first.tabIndex = 0;
  }

  function verdictOf(place, number) {
    const score = methodOf(numberOf(place)).scores[number];
    return (goes(place, number) ? "Goes" : "Stays") + ", score " + score.toFixed(2);
  }

  function why() {
    const number = state.chosen;
    if (number === null) return;
    const panel = $("why"), parts = [make("h2", "Why?")];
    const quote = make("blockquote", data.texts[number]);
    parts.push(quote);
    for (const place of state.beside === null ? [0] : [0, 1]) {
      const method = methodOf(numberOf(place)), reason = method.reasons[method.reason[number]];
      const title = make("h3", method.name + ": " + verdictOf(place, number) + (goes(place, number) ? " (template)" : " (content)"));
      title.className = goes(place, number) ? "template" : "content";
      const meter = make("div", undefined, "meter"), fill = make("i"), tick = make("b");
      meter.setAttribute("role", "img");
      meter.setAttribute("aria-label", "Score " + method.scores[number].toFixed(2) + ", threshold " + limitOf(place).toFixed(2));
      fill.style.width = 100 * method.scores[number] + "%";
      tick.style.left = 100 * limitOf(place) + "%";
      meter.append(fill, tick);
      parts.push(title, meter, make("p", reason.text + ".", "reason"));
      if (reason.causes.length) parts.push(causes(reason.causes));
    }
    parts.push(make("p", plural(data.chars[number], "character") + ", text " + (number + 1) + " of " + count, "small soft"));
    parts.push(make("p", data.paths[number], "small soft"));
    panel.replaceChildren(...parts);
  }

  function causes(given) {
    const table = make("table"), head = make("tr");
    table.append(make("caption", "Causes and their numbers", "hidden"), head);
    for (const name of ["cause", "weight", "numbers"]) {
      const cell = make("th", name);
      cell.scope = "col";
      head.append(cell);
    }
    for (const [code, weight, values] of given) {
      const row = make("tr");
      const side = weight > 0 ? " for template" : weight < 0 ? " for content" : "";
      const told = Object.entries(values).map(([name, value]) => name.replaceAll("_", " ") + " " + (typeof value === "number" ? value.toLocaleString("en") : value || "none")).join(", ");
      row.append(make("td", code.replaceAll("_", " ")), make("td", percent(Math.abs(weight)) + side), make("td", told));
      table.append(row);
    }
    // A weight is a share of all that speaks for one side.
    for (const [sign, side] of [[1, " for template"], [-1, " for content"]]) {
      const named = given.map(([, weight]) => weight * sign).filter((weight) => weight > 0);
      const rest = 1 - named.reduce((sum, weight) => sum + weight, 0);
      if (!named.length || rest < 0.005) continue;
      const row = make("tr");
      row.append(make("td", "other causes"), make("td", percent(rest) + side), make("td", ""));
      table.append(row);
    }
    return table;
  }

  function choose(number, from, scroll = true) {
    for (const pane of frames) for (const node of pane.marks[state.chosen] || []) node.removeAttribute("data-dt-chosen");
    state.chosen = number;
    why();
    frames.forEach((pane, place) => {
      for (const node of pane.marks[number] || []) node.setAttribute("data-dt-chosen", "");
      const node = (pane.marks[number] || [])[0];
      if (node && (scroll || place !== from) && (place === 0 || state.beside !== null)) node.scrollIntoView({ block: "center" });
    });
    for (const old of $("texts").querySelectorAll("[aria-current]")) { old.removeAttribute("aria-current"); old.tabIndex = -1; }
    const button = $("texts").querySelector('[data-number="' + number + '"]');
    if (button) {
      for (const other of $("texts").querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
      button.setAttribute("aria-current", "true");
      button.tabIndex = 0;
      const list = $("texts");
      list.scrollTop = button.offsetTop - list.offsetTop - list.clientHeight / 2;
    }
  }

  $("texts").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) choose(Number(button.dataset.number), null);
  });
  $("texts").addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity, PageDown: 10, PageUp: -10 }[event.key];
    const button = event.target.closest("button");
    if (step === undefined || !button) return;
    event.preventDefault();
    const at = listed.indexOf(Number(button.dataset.number));
    const to = Math.max(0, Math.min(listed.length - 1, at + step));
    choose(listed[to], null);
    $("texts").querySelector('[data-number="' + listed[to] + '"]').focus();
  });

  // ---- controls ----

  function refresh() {
    paint();
    summary();
    list();
    why();
  }

  let waiting = 0;
  sliders.forEach((slider, place) => {
    if (slider) slider.addEventListener("input", () => {
      limits[place] = { threshold: Number(slider.value), moved: true };
      values[place].textContent = limitOf(place).toFixed(2);
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(refresh);
    });
  });
  function reset(place) {
    const number = numberOf(place);
    if (number === null) return;
    limits[place] = { threshold: methodOf(number).threshold, moved: false };
    $("of" + place).textContent = methodOf(number).name;
    sliders[place].value = String(limitOf(place));
    values[place].textContent = limitOf(place).toFixed(2);
  }
  $("reset").addEventListener("click", () => { reset(0); reset(1); refresh(); });
  for (const radio of document.querySelectorAll("[name=view]")) {
    radio.addEventListener("change", () => { state.view = radio.value; $("tip").hidden = true; paint(); });
  }
  $("which").addEventListener("change", (event) => { state.which = event.target.value; list(); });
  $("method").addEventListener("change", (event) => {
    const before = state.method;
    state.method = Number(event.target.value);
    reset(0);
    if (state.beside === state.method) { state.beside = before; reset(1); }
    offer();
    refresh();
  });
  // The method that is shown is not offered beside itself.
  function offer() {
    if (!$("beside")) return;
    $("beside").value = state.beside === null ? "" : String(state.beside);
    for (const option of $("beside").options) option.hidden = option.disabled = option.value === String(state.method);
  }
  if ($("beside")) $("beside").addEventListener("change", async (event) => {
    state.beside = event.target.value === "" ? null : Number(event.target.value);
    const pane = frames[1].frame.closest(".pane");
    pane.hidden = $("slider1").hidden = state.beside === null;
    reset(1);
    $("differlegend").hidden = state.beside === null;
    if (state.beside !== null && !frames[1].doc) await load(1);
    if (state.beside === null && state.which === "differs") $("which").value = state.which = "all";
    refresh();
    if (state.beside !== null && state.chosen !== null) choose(state.chosen, 0);
  });

  reset(0);
  offer();
  load(0).then(() => {
    refresh();
    if (!count) return;
    // What was near the threshold is what to look at first.
    const away = (number) => Math.abs(methodOf(state.method).scores[number] - limitOf(0));
    const numbers = Array.from({ length: count }, (_, number) => number);
    if (numbers.some(near)) { $("which").value = state.which = "near"; list(); }
    choose(numbers.reduce((best, number) => (away(number) < away(best) ? number : best)), null);
    scrollTo(0, 0);
  });
})();
