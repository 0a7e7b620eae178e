"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const { sites, store } = JSON.parse($("data").textContent);
  const STEP = 200;
  const state = { by: "pages", down: true, shown: STEP, site: null };
  const percent = (share) => share === null ? "not known" : (100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0) + "%";
  const number = (value) => value.toLocaleString("en");
  const day = (date) => (date || "").slice(0, 10);
  const plural = (value, noun) => number(value) + " " + noun + (value === 1 ? "" : "s");

  function make(tag, text, kind) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  }
  function draw(tag, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
    if (text !== undefined) made.textContent = text;
    return made;
  }

  // ---- the table of sites ----

  const value = (site, by) => (by === "redesigns" ? (site.redesigns || []).length : by === "first" ? site.first || "" : site[by]);
  function order() {
    const sign = state.down ? -1 : 1;
    return [...sites].sort((a, b) => {
      const one = value(a, state.by), two = value(b, state.by);
      return one < two ? -sign : one > two ? sign : 0;
    });
  }
  // Columns of which no site has anything are not shown; nor are dates that are all the run's own day.
  const has = {
    share: sites.some((site) => site.share !== null),
    first: new Set(sites.flatMap((site) => [day(site.first), day(site.last)])).size > 1,
    redesigns: sites.some((site) => (site.redesigns || []).length > 0),
  };
  for (const [by, shown] of Object.entries(has)) document.querySelector(`[data-sort="${by}"]`).closest("th").hidden = !shown;
  function index() {
    const rows = order(), body = document.createDocumentFragment();
    for (const site of rows.slice(0, state.shown)) {
      const row = make("tr"), name = make("td");
      if (site.cards) {
        const button = make("button", site.site || "(no host)");
        button.type = "button";
        button.addEventListener("click", () => { show(site); $("site").focus(); });
        name.append(button);
      } else name.textContent = site.site || "(no host)";
      row.append(name, make("td", number(site.pages), "number"));
      if (has.share) row.append(make("td", percent(site.share), "number"));
      if (has.first) row.append(make("td", day(site.first)));
      if (has.redesigns) row.append(make("td", site.redesigns ? number(site.redesigns.length) : "", "number"));
      if (site === state.site) row.setAttribute("aria-current", "true");
      body.append(row);
    }
    document.querySelector("#index tbody").replaceChildren(body);
    $("more").hidden = rows.length <= state.shown;
  }
  for (const button of document.querySelectorAll("[data-sort]")) {
    button.addEventListener("click", () => {
      const by = button.dataset.sort;
      state.down = state.by === by ? !state.down : by !== "site";
      state.by = by;
      for (const head of document.querySelectorAll("#index th")) head.setAttribute("aria-sort", "none");
      button.closest("th").setAttribute("aria-sort", state.down ? "descending" : "ascending");
      index();
    });
  }
  $("more").addEventListener("click", () => { state.shown += STEP; index(); });

  // ---- charts ----

  const WIDE = 380, HIGH = 150, LEFT = 52, LOW = 26;
  function chart(title, told, label) {
    const figure = make("figure"), svg = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH + LOW + 8}`, role: "img", "aria-label": title + ". " + label });
    figure.append(make("figcaption", title), make("p", told, "small soft"), svg);
    svg.append(draw("line", { class: "axis", x1: LEFT, x2: WIDE, y1: HIGH, y2: HIGH }));
    return { figure, svg };
  }
  function high(most, scale) {
    return (height) => (most ? (HIGH - 12) * scale(height) / scale(most) : 0);
  }
  function ticks(svg, most, up) {
    svg.append(draw("text", { x: LEFT - 4, y: HIGH - up(most) + 4, "text-anchor": "end" }, number(most)), draw("text", { x: LEFT - 4, y: HIGH, "text-anchor": "end" }, "0"));
  }

  function distribution(site) {
    const counts = site.shares, most = Math.max(...counts), up = high(most, (x) => x);
    const peak = counts.indexOf(most);
    const made = chart("Share of template, page by page", "How many pages have how much of their text in templates.", `Most pages, ${number(most)}, are between ${5 * peak} and ${5 * peak + 5} percent.`);
    ticks(made.svg, most, up);
    const step = (WIDE - LEFT) / counts.length;
    counts.forEach((count, place) => {
      const bar = draw("rect", { class: "t", x: LEFT + place * step + 1, width: step - 2, y: HIGH - up(count), height: up(count) });
      bar.append(draw("title", {}, `${plural(count, "page")} with ${5 * place} to ${5 * place + 5}% template`));
      made.svg.append(bar);
    });
    for (const [share, at] of [["0%", "start"], ["50%", "middle"], ["100%", "end"]])
      made.svg.append(draw("text", { x: LEFT + (WIDE - LEFT) * parseInt(share, 10) / 100, y: HIGH + 15, "text-anchor": at }, share));
    return made.figure;
  }

  function frequencies(site) {
    const bins = site.frequencies, most = Math.max(...bins.map((bin) => bin.template + bin.content)), up = high(most, (x) => Math.log1p(x));
    const cut = site.cut ? `From ${plural(site.cut, "page")} on (dashed line), more were removed than stayed.` : "There is no number of pages from which more were removed than stayed.";
    const made = chart("Texts by the number of pages on which they went, or stayed", "Different texts, each at its place of the page; heights are logarithmic. " + cut + sampled(site), cut);
    ticks(made.svg, most, up);
    const step = (WIDE - LEFT) / bins.length;
    bins.forEach((bin, place) => {
      const all = bin.template + bin.content, height = up(all), part = all ? height * bin.template / all : 0;
      const range = bin.low === bin.high ? number(bin.low) : number(bin.low) + "–" + number(bin.high);
      const group = draw("g", {});
      group.append(draw("title", {}, `${plural(bin.template, "text")} removed from ${range} pages, ${plural(bin.content, "text")} kept on as many`),
        draw("rect", { class: "c", x: LEFT + place * step + 2, width: step - 4, y: HIGH - height, height: height - part }),
        draw("rect", { class: "t", x: LEFT + place * step + 2, width: step - 4, y: HIGH - part, height: part }));
      made.svg.append(group);
      if (bins.length < 9 || place % 2 === 0) made.svg.append(draw("text", { x: LEFT + (place + 0.5) * step, y: HIGH + 15, "text-anchor": "middle" }, number(bin.low)));
      if (bin.low === site.cut) made.svg.append(draw("line", { class: "cut", x1: LEFT + place * step, x2: LEFT + place * step, y1: 2, y2: HIGH }));
    });
    const key = make("div", undefined, "small");
    for (const [kind, text] of [["t", "went: template (below)"], ["c", "stayed: content (above)"]]) {
      const item = make("span", undefined, "key");
      item.append(make("i", "", kind), text);
      key.append(item);
    }
    made.figure.append(key);
    return made.figure;
  }

  const sampled = (site) => site.sampled ? ` Estimated from a sample of ${number(site.sampled)} texts.` : "";
  function curve(made, points, kind, most, up) {
    const last = Math.max(points[points.length - 1][0], 1);
    const path = points.map(([x, y], place) => `${place ? "L" : "M"}${(LEFT + (WIDE - LEFT) * x / last).toFixed(1)} ${(HIGH - up(y)).toFixed(1)}`).join("");
    made.svg.append(draw("path", { class: kind, d: path }));
  }
  function growth(site) {
    const points = [[0, 0, 0], ...site.growth], end = points[points.length - 1], up = high(end[1], (x) => x);
    const label = `${plural(end[1], "different text")} on ${plural(end[0], "page")}, of which ${number(end[2])} went at least once.`;
    const made = chart("Different texts, page after page", "Solid: all texts of the site, which grow with its content. Dashed: those that went, which templates add to once. " + label + sampled(site), label);
    ticks(made.svg, end[1], up);
    curve(made, points.map(([pages, texts]) => [pages, texts]), "line", end[1], up);
    curve(made, points.map(([pages, , went]) => [pages, went]), "line2", end[1], up);
    made.svg.append(draw("text", { x: LEFT, y: HIGH + 15 }, "0 pages"), draw("text", { x: WIDE, y: HIGH + 15, "text-anchor": "end" }, plural(end[0], "page")));
    return made.figure;
  }
  function time(site) {
    const points = site.points, up = high(1, (x) => x);
    let at = 0;
    const share = [], known = [];
    for (const point of points) {
      at += point.pages / 2;
      share.push([at, point.share]);
      known.push([at, point.known]);
      at += point.pages / 2;
    }
    const made = chart("Templates over the pages, in their order", "Solid: share of a page's text that is template. Dashed: share of its templates that were known before. A fall of the dashed line is a redesign.", `${plural(site.redesigns.length, "redesign")} found.`);
    made.svg.append(draw("text", { x: LEFT - 4, y: 16, "text-anchor": "end" }, "100%"), draw("text", { x: LEFT - 4, y: HIGH, "text-anchor": "end" }, "0"));
    for (const [line, kind] of [[share, "line"], [known, "line2"]]) curve(made, [...line, [Math.max(at, 1), line[line.length - 1][1]]], kind, 1, up);
    made.svg.append(draw("text", { x: LEFT, y: HIGH + 15 }, day(points[0].first)), draw("text", { x: WIDE, y: HIGH + 15, "text-anchor": "end" }, day(points[points.length - 1].first)));
    return made.figure;
  }

  // ---- one site ----

  // A few words say all of themselves: they are lines below the cards.
  const isLine = (each) => each.texts === 1 && each.text.split(/\s+/).length <= 3;
  const seenOn = (each, pages) => {
    const span = has.first && day(each.first);
    return `on ${number(each.pages)} of ${plural(pages, "page")}` + (!span ? "" : span !== day(each.last) ? `, ${span} to ${day(each.last)}` : `, seen ${span}`);
  };

  function card(each, pages) {
    const made = make("article", undefined, "card"), body = make("div", undefined, "body");
    if (each.html) {
      const frame = make("iframe");
      frame.setAttribute("sandbox", "");
      frame.title = "Template as it looks: " + each.text.slice(0, 60);
      frame.tabIndex = -1;
      frame.srcdoc = each.html;
      made.append(frame);
    }
    const bar = make("div", undefined, "bar"), fill = make("i");
    fill.style.width = 100 * Math.min(each.pages / Math.max(pages, 1), 1) + "%";
    bar.append(fill);
    body.append(make("div", each.text, "text"), bar, make("div", seenOn(each, pages), "small soft"));
    made.append(body);
    return made;
  }

  function urls(title, told, found) {
    const made = make("div");
    made.append(make("h3", `${title}: ${number(found.pages)}`), make("p", told, "small soft"));
    if (found.urls.length) {
      const list = make("ul", undefined, "small");
      list.tabIndex = 0;
      list.setAttribute("aria-label", title);
      for (const url of found.urls) list.append(make("li", url));
      made.append(list);
      if (found.pages > found.urls.length) made.append(make("p", `The last ${found.urls.length} are listed.`, "small soft"));
    }
    return made;
  }

  function directories(site) {
    const made = make("div"), table = make("table", undefined, "small"), head = make("tr"), body = make("tbody"), top = make("thead");
    made.append(make("h3", "Directories"), make("p", site.lost ? `Those with most pages; there are more than are told apart, and each number may be up to ${plural(site.lost, "page")} too low.` : site.all_directories > site.directories.length ? `The ${site.directories.length} largest of ${number(site.all_directories)}.` : "Where templates differ, parts of the site may be made by different software.", "small soft"), table);
    for (const [name, kind] of [["Directory", ""], ["Pages", "number"], ["Template", "number"]]) {
      const cell = make("th", name, kind);
      cell.scope = "col";
      head.append(cell);
    }
    top.append(head);
    table.append(top, body);
    for (const each of site.directories) {
      const row = make("tr");
      row.append(make("td", each.name.startsWith(site.site + "/") ? each.name.slice(site.site.length) : each.name), make("td", number(each.pages), "number"), make("td", percent(each.share), "number"));
      body.append(row);
    }
    return made;
  }

  function show(site) {
    state.site = site;
    const parts = [], facts = make("div", undefined, "facts");
    const fact = (value, name) => {
      const made = make("div");
      made.append(make("b", value), make("span", name, "small soft"));
      facts.append(made);
    };
    parts.push(make("h2", site.site || "(no host)", "top"), facts);
    fact(number(site.pages), site.pages === 1 ? "page" : "pages");
    if (site.share !== null) fact(percent(site.share), "of a page's text is template, on average");
    fact(number(site.all_cards), site.all_cards === 1 ? "template" : "templates");
    if (site.growth) fact(number(site.growth[site.growth.length - 1][1]), "different texts");
    if (site.seen && site.seen < site.pages) fact(number(site.seen), `of the pages ${site.seen === 1 ? "was" : "were"} looked at: what follows is about ${site.seen === 1 ? "it" : "them"}`);
    const odd = site.none ? site.none.pages + site.only.pages : 0;
    if (odd) fact(number(odd), `${odd === 1 ? "page" : "pages"} out of line`);
    if (site.redesigns.length) fact(number(site.redesigns.length), site.redesigns.length === 1 ? "redesign found" : "redesigns found");
    const charts = make("div", undefined, "charts");
    if (site.counted < site.seen) parts.push(make("p", site.counted ? `The store counts pages since ${number(site.seen - site.counted)} of them had been looked at.` : "The store has no counts of these pages: it was written by a version that kept none.", "small soft"));
    if (site.shares && site.share !== null) charts.append(distribution(site), frequencies(site), growth(site));
    if (site.points.length > 1 && site.share !== null) charts.append(time(site));
    if (charts.children.length) parts.push(charts);
    parts.push(make("h3", "Templates"));
    if (site.cards.length) {
      const shown = site.all_cards > site.cards.length ? `The ${site.cards.length} on most pages, of ${number(site.all_cards)}` : "Those on most pages first";
      const most = store ? "A store remembers at most 48 texts of templates a site, of at most 24 a page." : "As they look where the pages' own styles are inside the page.";
      parts.push(make("p", `${shown}. ${most}`, "small soft"));
      const cards = make("div", undefined, "cards"), lines = make("ul", undefined, "lines small"), pages = site.seen || site.pages;
      for (const each of site.cards) {
        if (isLine(each)) lines.append(make("li", `${each.text} (${seenOn(each, pages)})`));
        else cards.append(card(each, pages));
      }
      parts.push(cards);
      if (lines.children.length) parts.push(make("p", "Short ones:", "small soft"), lines);
    } else parts.push(make("p", store ? "The store has no history of this site: “learn” looks at few pages, “clean --store” at all." : "None was found: pages of one site repeat nothing, or there are too few of them.", "soft"));
    for (const each of site.redesigns) parts.push(make("p", `Redesign on ${day(each.date)}. Gone since: ${each.gone.map((text) => "“" + text + "”").join(", ") || "nothing that is known"}`));
    if (site.directories) {
      const lists = make("div", undefined, "lists");
      if (site.share !== null) lists.append(directories(site));
      if (site.none.pages) lists.append(urls("Pages without template", "Other software, an empty answer, or a page whose template was not recognised.", site.none));
      if (site.only.pages) lists.append(urls("Pages with nothing but template", "Often error pages, or pages whose content is fetched by scripts.", site.only));
      parts.push(lists);
    }
    $("site").replaceChildren(...parts);
    $("site").setAttribute("aria-label", "Site " + (site.site || "without host"));
    for (const row of document.querySelectorAll("#index tr[aria-current]")) row.removeAttribute("aria-current");
    index();
  }

  index();
  if (sites.length) show(sites.find((site) => site.cards) || sites[0]);
  $("sites").hidden = sites.length < 2;
})();
