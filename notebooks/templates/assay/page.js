// Tables sort by a click on a heading and filter by words; the headings become a list of contents.
for (const table of document.querySelectorAll("table.data")) {
  const rows = [...table.tBodies[0].rows];
  const box = table.parentElement;
  const scroll = box.appendChild(document.createElement("div"));
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  const caption = box.insertBefore(document.createElement("p"), scroll);
  caption.innerHTML = table.caption.innerHTML;
  caption.style.fontWeight = 600;
  caption.id = `table-${[...document.querySelectorAll("table.data")].indexOf(table) + 1}`;
  table.caption.remove();
  table.setAttribute("aria-labelledby", caption.id);
  scroll.append(table);

  if (rows.length > 8) {
    const choices = [...table.tHead.rows[0].cells].map((head, column) =>
      "choose" in head.dataset && choice(head.textContent, rows.map((row) => row.cells[column].textContent)));
    const find = box.insertBefore(document.createElement("div"), scroll);
    find.className = "find";
    const input = find.appendChild(document.createElement("input"));
    input.type = "search";
    input.placeholder = "Filter: words, all must occur";
    input.setAttribute("aria-label", `Filter: ${caption.textContent}`);
    const count = find.appendChild(document.createElement("span"));
    count.className = "count";
    count.setAttribute("role", "status");
    const filter = () => {
      const chosen = (row) => choices.every((select, column) =>
        !select || !select.value || row.cells[column].textContent === select.value);
      const words = input.value.toLowerCase().split(/\s+/);
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !chosen(row) || !words.every((word) => text.includes(word));
      }
      count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
    };
    input.addEventListener("input", filter);
    for (const select of choices.filter(Boolean)) {
      select.addEventListener("change", filter);
      find.insertBefore(select, count);
    }
    filter();
  }

  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    if (rows[0].cells[column].classList.contains("number")) head.className = "number";
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const sign = down ? -1 : 1;
      table.tBodies[0].append(...rows.sort((a, b) => sign * compare(a.cells[column], b.cells[column])));
    });
  });
}

function choice(title, texts) {
  const select = document.createElement("select");
  select.setAttribute("aria-label", title);
  select.add(new Option(`every ${title}`, ""));
  for (const text of [...new Set(texts)].sort()) select.add(new Option(text));
  return select;
}

function compare(a, b) {
  const [x, y] = [a.dataset.value, b.dataset.value];
  if (x === undefined) return a.textContent.localeCompare(b.textContent);
  return (x === "" ? Infinity : Number(x)) - (y === "" ? Infinity : Number(y)) || 0;
}

const headings = [...document.querySelectorAll("main h2")];
if (headings.length > 3) {
  const list = document.createElement("ul");
  list.className = "contents";
  for (const heading of headings) {
    const link = list.appendChild(document.createElement("li"))
      .appendChild(document.createElement("a"));
    heading.id ||= heading.textContent.toLowerCase().replace(/\W+/g, "-");
    link.href = `#${heading.id}`;
    link.textContent = heading.firstChild.textContent;
  }
  const nav = document.createElement("nav");
  nav.setAttribute("aria-label", "Contents");
  nav.append(list);
  headings[0].before(nav);
}
