// Contents that stay in sight, and what the words of this project mean.
const contents = document.querySelector("nav.contents");
const entries = [...document.querySelectorAll("main :is(h2, h3, figure.plate)")];
if (contents && entries.length > 3) {
  const list = document.createElement("ul");
  const links = entries.map((entry) => {
    const link = list.appendChild(document.createElement("li")).appendChild(document.createElement("a"));
    for (let n = 1; !entry.id; n++) {  // the same words may stand over two parts
      const name = entry.textContent.toLowerCase().replace(/\W+/g, "-");
      const id = n > 1 ? `${name}-${n}` : name;
      if (!document.getElementById(id)) entry.id = id;
    }
    link.href = `#${entry.id}`;
    link.className = entry.localName;
    link.textContent = entry.localName === "figure"
      ? entry.id.replace("figure-", "").replaceAll("-", " ") : entry.firstChild.textContent;
    return link;
  });
  const fold = contents.querySelector("details");
  const here = fold.querySelector("summary span");
  fold.append(list);
  contents.hidden = false;

  const beside = matchMedia("(min-width: 80rem)");
  const open = () => { fold.open = beside.matches; };
  beside.addEventListener("change", open);
  open();
  list.addEventListener("click", open);

  let current = null;
  const follow = () => {
    const passed = entries.filter((entry) => entry.getBoundingClientRect().top < 120).length;
    const now = links[Math.max(0, passed - 1)];
    if (now === current) return;
    current?.removeAttribute("aria-current");
    current = now;
    current.setAttribute("aria-current", "true");
    here.textContent = current.textContent;
    if (beside.matches) list.scrollTop = current.offsetTop - list.clientHeight / 2;
  };
  addEventListener("scroll", () => requestAnimationFrame(follow), { passive: true });
  requestAnimationFrame(follow);  // not at once: it needs the layout of the whole page
}

// The first of each word in each paragraph's section tells its meaning to who points at it.
const words = JSON.parse(document.getElementById("words")?.textContent ?? "{}");
const forms = new Map(Object.keys(words).flatMap((word) =>
  [word, `${word}s`, word.replace(/y$/, "ies")].map((form) => [form, word])));
const pattern = new RegExp(`(?<![\\w-])(${[...forms.keys()].join("|")})(?![\\w-])`, "i");
let told = new Set();
if (forms.size) for (const part of document.querySelectorAll("main :is(h2, p:not([class]), p.lead, li, figcaption)")) {
  if (part.localName === "h2") { told = new Set(); continue; }
  const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (text.parentElement.closest("a, code, dfn, .verdict, summary, button, select")) continue;
    const found = pattern.exec(text.data);
    const word = found && forms.get(found[0].toLowerCase());
    if (!word || told.has(word)) continue;
    told.add(word);
    const term = document.createElement("dfn");
    term.tabIndex = 0;
    term.dataset.says = `${word}: ${words[word]}`;
    term.title = words[word];
    const rest = text.splitText(found.index);
    rest.splitText(found[0].length);
    rest.before(term);
    term.append(rest);
  }
}

// The address that ends with #sheet shows a report on one sheet of A4: answer, key figure, findings.
if (location.hash === "#sheet") {
  const [width, height] = [186, 260];  // mm, between the margins of page.css
  const main = document.querySelector("main");
  document.documentElement.classList.add("sheet");
  let zoom = 1;
  const fits = () => {
    main.style.width = `${width / zoom}mm`;
    return main.scrollHeight * 25.4 / 96 * zoom <= height;
  };
  while (!fits() && zoom > 0.3) zoom -= 0.02;
  main.style.zoom = zoom;
}
