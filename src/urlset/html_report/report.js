"use strict";
// Makes tables searchable and sortable. Without this script the page is complete but for the
// examples after the first ones. Foreign text is only ever set as text.
(() => {
  const PAGE = 25;
  const MAX_URL = 300;
  let unpacked;

  async function examples() {
    const packed = JSON.parse(document.getElementById("data").textContent);
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  function make(name, properties, ...children) {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  }

  function isWeb(text) {
    return /^https?:\/\/[^\s"'<>`\\]+$/i.test(text);
  }

  function shortened(text) {
    return text.length <= MAX_URL ? text : `${text.slice(0, MAX_URL / 2)}…${text.slice(-MAX_URL / 2)}`;
  }

  // A URL breaks at its folders.
  function breakable(text) {
    const parts = shortened(text).split(/(?<=[^/:]\/)(?=[^/])|(?<=^\/)(?=[^/])/);
    return make("bdi", {}, ...parts.flatMap((part, at) => at ? [make("wbr"), part] : [part]));
  }

  function urlCell(text) {
    const shown = breakable(text);
    const content = isWeb(text) ? make("a", { href: text, rel: "noreferrer" }, shown) : shown;
    return make("td", { className: "url" }, content);
  }

  // A row is its cells as nodes, made when they are shown, and the values to sort and search by.
  function rowsOfTable(table) {
    return [...table.tBodies[0].rows].map((row) => ({
      values: [...row.cells].map((cell) =>
        cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value)),
      element: () => row,
    }));
  }

  function rowsOfColumns(columns, headings) {
    const names = { URL: "url", finding: "finding", where: "place", basis: "basis" };
    const shown = headings.map((heading) => names[heading]);
    const roles = { finding: "finding", place: "place", basis: "short" };
    return columns.url.map((_, number) => ({
      values: shown.map((name) => columns[name][number]),
      element() {
        const cells = this.values.map((text, at) => shown[at] === "url" ? urlCell(text)
          : make("td", { className: roles[shown[at]] ?? "" }, breakable(text)));
        return make("tr", {}, ...cells);
      },
    }));
  }

  function compare(one, other) {
    if (typeof one === "number" && typeof other === "number") return one - other;
    return String(one).localeCompare(String(other), "en", { numeric: true });
  }

  function enhance(table, rows) {
    const total = rows.length;
    const state = { page: 0, column: -1, isDown: false, query: "" };
    const label = table.parentElement.getAttribute("aria-label");
    const search = make("input", { type: "search", placeholder: "Search", ariaLabel: `Search: ${label}` });
    const status = make("span", { role: "status" });
    const before = make("button", { type: "button", textContent: "Previous" });
    const after = make("button", { type: "button", textContent: "Next" });
    let found = rows;

    function show() {
      const start = state.page * PAGE;
      const shown = found.slice(start, start + PAGE);
      table.tBodies[0].replaceChildren(...shown.map((row) => row.element()));
      const end = start + shown.length;
      const of = found.length === total ? "" : ` found among ${total.toLocaleString("en")}`;
      status.textContent = found.length
        ? `${(start + 1).toLocaleString("en")}–${end.toLocaleString("en")} of ${found.length.toLocaleString("en")}${of}`
        : `None found among ${total.toLocaleString("en")}`;
      before.disabled = state.page === 0;
      after.disabled = end >= found.length;
    }

    function update() {
      const query = state.query.toLowerCase();
      found = query
        ? rows.filter((row) => row.values.some((value) => String(value).toLowerCase().includes(query)))
        : [...rows];
      if (state.column >= 0) {
        found.sort((one, other) => compare(one.values[state.column], other.values[state.column]));
        if (state.isDown) found.reverse();
      }
      state.page = 0;
      show();
    }

    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      const button = make("button", { type: "button", textContent: heading.textContent });
      heading.replaceChildren(button);
      button.addEventListener("click", () => {
        state.isDown = state.column === column ? !state.isDown : typeof rows[0]?.values[column] === "number";
        state.column = column;
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", state.isDown ? "descending" : "ascending");
        update();
      });
    });
    search.addEventListener("input", () => { state.query = search.value; update(); });
    before.addEventListener("click", () => { state.page -= 1; show(); });
    after.addEventListener("click", () => { state.page += 1; show(); });
    const tools = make("div", { className: "tools" }, search, status);
    if (total > PAGE) tools.append(before, after);
    table.parentElement.before(tools);
    const more = table.parentElement.nextElementSibling;
    if (more?.classList.contains("more")) {
      const count = Number(more.dataset.total);
      if (count > total) more.textContent = `${total.toLocaleString("en")} of ${count.toLocaleString("en")} are in this report.`;
      else more.remove();
    }
    show();
  }

  async function open(table) {
    if (table.dataset.ready) return;
    table.dataset.ready = "yes";
    const headings = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    let columns;
    try {
      unpacked ??= examples();
      columns = (await unpacked)[table.dataset.table];
    } catch {
      columns = undefined; // an old browser: the rows in the page remain
    }
    const rows = columns ? rowsOfColumns(columns, headings) : rowsOfTable(table);
    if (rows.length > 5) enhance(table, rows);
  }

  for (const table of document.querySelectorAll("table[data-table]")) {
    const rule = table.closest("details");
    if (!rule || rule.open) open(table);
    else rule.addEventListener("toggle", () => open(table), { once: true });
  }

  // The list of all URLs of a rule: filled at once, so that it is printed, too.
  function listUrls(pre, columns) {
    const found = columns?.[pre.dataset.urls];
    if (!found) return;
    pre.textContent = (found.all ?? [...new Set(found.url)]).join("\n");
    pre.parentElement.querySelector(".cut")?.remove();
  }

  // Needs neither a network nor a secure context.
  async function copy(pre, status) {
    const range = document.createRange();
    range.selectNodeContents(pre);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    const count = pre.textContent.split("\n").length.toLocaleString("en");
    let isCopied = false;
    try {
      await navigator.clipboard.writeText(pre.textContent);
      isCopied = true;
    } catch {
      isCopied = document.execCommand("copy");
    }
    status.textContent = isCopied ? `${count} URLs copied` : "Selected: copy with Ctrl-C";
  }

  const lists = [...document.querySelectorAll("pre[data-urls]")];
  for (const pre of lists) {
    const status = make("span", { role: "status" });
    const button = make("button", { type: "button", textContent: "Copy all" });
    button.addEventListener("click", () => copy(pre, status));
    pre.before(make("div", { className: "tools" }, button, status));
  }
  if (lists.length) {
    unpacked ??= examples();
    unpacked.then((columns) => lists.forEach((pre) => listUrls(pre, columns)), () => {});
  }

  // A link to a rule opens it.
  function reveal() {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (target instanceof HTMLDetailsElement) target.open = true;
  }
  addEventListener("hashchange", reveal);
  reveal();
})();
