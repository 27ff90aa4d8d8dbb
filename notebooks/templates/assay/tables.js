// Tables sort, filter, fold and are saved as CSV; what a reader chose of one stands in the address.
const LONG = 50; // rows of a table that are shown before a reader asks for all

// All boxes are measured before the first is changed: else each would lay out the whole page again.
// A table that is not near has no layout yet; it changes its size when it gets one.
const fitting = new ResizeObserver((entries) => {
  const scrolls = new Set(entries.map(({ target }) => target.closest(".scroll")));
  [...scrolls].filter((scroll) => scroll.checkVisibility({ contentVisibilityAuto: true }))
    .map(fitted).forEach((fit) => fit());
});
const adopted = new Map([...document.querySelectorAll("table.data")].map(adopt));

function adopt(table) {
  const scroll = table.parentElement;
  const name = scroll.previousElementSibling.firstElementChild;
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...table.tBodies[0].rows];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const state = { find: "", sort: null, down: false, all: rows.length <= LONG, unmeasured: false };

  const tools = document.createElement("div");
  tools.className = "find";
  const count = document.createElement("span");
  count.className = "count";
  count.setAttribute("role", "status");
  const save = button("CSV", () => download(`${name.id}.csv`, csv(heads, order().filter((row) => !row.hidden))));
  save.title = "Save the rows that are chosen";
  const more = button("", () => { state.all = true; refit(); });
  const unfold = button("", () => { state.unmeasured = !state.unmeasured; refit(); });
  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "Filter by words";
  search.title = "All words must occur";
  search.setAttribute("aria-label", `Filter: ${name.textContent}`);
  search.addEventListener("input", () => { state.find = search.value; changed(); });
  const choices = new Map();
  if (rows.length > 8) {
    tools.append(search);
    heads.forEach((head, column) => {
      const found = new Set("choose" in head.dataset ? rows.map((row) => row.cells[column].textContent) : []);
      if (found.size < 2) return;
      const select = choice(head.textContent, found, name.textContent);
      select.addEventListener("change", changed);
      choices.set(column, select);
      tools.append(select);
    });
  }
  tools.append(count, unfold, save);
  scroll.before(tools);
  scroll.after(more);
  more.className = "more";

  const order = () => [...table.tBodies[0].rows];

  function show() {
    const words = state.find.toLowerCase().split(/\s+/);
    let kept = 0, folded = 0;
    for (const row of order()) {
      const text = texts.get(row);
      row.hidden = !words.every((word) => text.includes(word)) || ![...choices].every(([column, select]) =>
        !select.value || row.cells[column].textContent === select.value);
      const away = row.classList.contains("unmeasured") && !state.unmeasured;
      if (!row.hidden) away ? folded++ : kept++;
      row.classList.toggle("away", away || (!state.all && kept > LONG));
    }
    const whole = kept + folded === rows.length;
    count.textContent = rows.length > 8 ? `${whole ? "" : `${said(kept + folded)} of `}${said(rows.length)} rows` : "";
    scroll.style.setProperty("--rows", 1 + (state.all ? kept : Math.min(kept, LONG)));
    more.hidden = state.all || kept <= LONG;
    more.textContent = `Show all ${said(kept)} rows`;
    unfold.hidden = !state.unmeasured && !folded;
    unfold.textContent = state.unmeasured ? "Fold rows that were not measured" : `${said(folded)} not measured: show`;
  }

  function refit() {
    show();
    fitted(scroll)();
  }

  function sort() {
    for (const head of heads) head.removeAttribute("aria-sort");
    if (state.sort === null) return;
    heads[state.sort].setAttribute("aria-sort", state.down ? "descending" : "ascending");
    const sign = state.down ? -1 : 1;
    table.tBodies[0].append(...order().sort((a, b) => sign * compare(a.cells[state.sort], b.cells[state.sort])));
  }

  function changed() {
    refit();
    const chosen = new URLSearchParams();
    if (state.find) chosen.set("find", state.find);
    for (const [column, select] of choices) if (select.value) chosen.set(heads[column].textContent, select.value);
    if (state.sort !== null) chosen.set("sort", (state.down ? "-" : "") + heads[state.sort].textContent);
    history.replaceState(null, "", `#${name.id}?${chosen}`);
  }

  // The other way: what an address says.
  function choose(chosen) {
    search.value = state.find = chosen.get("find") ?? "";
    for (const [column, select] of choices) select.value = chosen.get(heads[column].textContent) ?? "";
    const column = chosen.get("sort");
    state.down = column?.startsWith("-") ?? false;
    const place = heads.findIndex((head) => head.textContent === column?.replace(/^-/, ""));
    state.sort = place < 0 ? null : place;
    sort();
    refit();
    name.scrollIntoView();
  }

  heads.forEach((head, column) => {
    const sorting = button("", () => {
      state.down = state.sort === column && !state.down;
      state.sort = column;
      sort();
      changed();
    });
    sorting.append(...head.childNodes);
    head.append(sorting);
  });
  show();
  fitting.observe(scroll);
  fitting.observe(table);
  return [name.id, { choose, reveal: () => { state.all = state.unmeasured = true; refit(); } }];
}

// What is wider than its box scrolls in it, but for the first columns as long as they leave room;
// the head of what is not stays in sight when the page scrolls. What does so is returned.
function fitted(scroll) {
  const table = scroll.firstElementChild;
  const broad = table.offsetWidth > scroll.clientWidth + 1;
  const lefts = [];
  let left = 0;
  for (const head of table.tHead.rows[0].cells) {
    if (!head.classList.contains("key") || left + head.offsetWidth > scroll.clientWidth / 2) break;
    lefts.push(`${left}px`);
    left += head.offsetWidth;
  }
  return () => {
    scroll.classList.toggle("broad", broad);
    if (broad) scroll.tabIndex = 0; else scroll.removeAttribute("tabindex");
    // A column that had room before the page became narrower gives its place up.
    for (const key of [1, 2, 3]) table.style.setProperty(`--key-${key}`, lefts[key - 1] ?? "auto");
    table.dataset.keys = lefts.length;
  };
}

function said(count) {
  return count.toLocaleString("en");
}

function button(text, pressed) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", pressed);
  return made;
}

function choice(title, texts, table) {
  const select = document.createElement("select");
  select.setAttribute("aria-label", title);
  select.title = `${title}: ${table}`;
  select.add(new Option(`every ${title}`, ""));
  for (const text of [...texts].sort()) select.add(new Option(text));
  return select;
}

function compare(a, b) {
  const [x, y] = [a.dataset.value, b.dataset.value];
  if (x === undefined) return a.textContent.localeCompare(b.textContent);
  return (x === "" ? Infinity : Number(x)) - (y === "" ? Infinity : Number(y)) || 0;
}

// A column of numbers is saved as it is shown, and as plain numbers in base units.
function csv(heads, rows) {
  const plain = (cell) => cell.dataset.value;
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const line = (cells, also) => [...cells].flatMap((cell) =>
    cell.classList.contains("number") ? [cell.textContent.trim(), also(cell)] : [cell.textContent.trim()]);
  const lines = [line(heads, (head) => `${head.textContent}, number`), ...rows.map((row) => line(row.cells, plain))];
  return lines.map((cells) => cells.map(quoted).join(",")).join("\n") + "\n";
}

function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

// An address tells what is chosen of a table, or a row of one, which may be folded away.
function follow() {
  const [id, query] = location.hash.slice(1).split("?");
  if (query !== undefined) adopted.get(id)?.choose(new URLSearchParams(query));
  const target = document.getElementById(id);
  if (!target?.closest("tr.away")) return;
  adopted.get(target.closest("table").getAttribute("aria-labelledby")).reveal();
  target.scrollIntoView();
}
addEventListener("hashchange", follow);
follow();
