// What is alive in the page: numbers are spelled here, all else is drawn from precomputed answers.
const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const live = JSON.parse(one("#live").textContent);
const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => "&#" + c.charCodeAt(0) + ";");

// ---- Spelling, as numlab's encoders do it: words, what a token carries, what is read back ----

const power = (k) => Number("1e" + k);  // the nearest float, which 10 ** k is not everywhere

function rounded(x) {  // half to even
  const low = Math.floor(x), rest = x - low;
  return rest > 0.5 || (rest === 0.5 && low % 2) ? low + 1 : low;
}

function scientific(split) {  // three significant digits; 100E-8 stands for 0
  return (x) => {
    const size = Math.min(Math.max(Math.abs(x), 100e-8), 999e7), minus = x <= -100e-8;
    let exponent = Math.floor(Math.log10(size)) - 2;
    let digits = rounded((size * power(Math.max(-exponent, 0))) / power(Math.max(exponent, 0)));
    if (digits >= 1000) [digits, exponent] = [100, exponent + 1];
    const zero = digits === 100 && exponent === -8 && !minus;
    const written = "E" + (exponent < 0 ? "" : "+") + exponent;
    const read = zero ? 0 : Number((minus ? "-" : "") + digits + "e" + exponent);
    return { words: split(minus, String(digits), written), read, note: zero ? "100E-8 means 0" : "" };
  };
}

function decimal(x) {  // six digits and three decimals
  const size = Math.min(rounded(Math.abs(x) * 1000), 1e9 - 1), minus = x < 0 && size > 0;
  const digits = String(size).padStart(9, "0"), read = (minus ? -size : size) / 1000;
  return { minus, whole: digits.slice(0, 6).replace(/^0+(?=.)/, ""), digits, read,
    fraction: digits.slice(6).replace(/0+$/, "") };
}

function grouped(most) {  // groups of digits from the left
  const groups = (digits) => digits.match(new RegExp(".{1," + most + "}", "g")) || [];
  return (x) => {
    const { minus, whole, fraction, read } = decimal(x);
    const point = fraction ? [".", ...groups(fraction)] : [];
    return { words: [...(minus ? ["-"] : []), ...groups(whole), ...point], read };
  };
}

function binned(x) {
  const { edges, words } = live.bins, n = edges.length - 1, size = Math.abs(x);
  if (size < edges[0]) return { words: [words[0]], read: 0 };
  const bin = edges.slice(1, -1).filter((edge) => edge <= size).length;
  const middle = Math.sqrt(edges[bin]) * Math.sqrt(edges[bin + 1]);
  return { words: [words[1 + bin + (x < 0 ? n : 0)]], read: x < 0 ? -middle : middle };
}

function bits(x) {
  const bytes = new DataView(new ArrayBuffer(4));
  bytes.setFloat32(0, x);
  return { words: ["[NUM]"], read: Math.fround(x),
    carries: bytes.getUint32(0).toString(2).padStart(32, "0") };
}

function circles(x) {
  const { minus, digits, read } = decimal(x);
  return { words: ["[NUM]"], read, carries: (minus ? "1" : "0") + digits };
}

const SPELL = {
  P10: scientific((minus, digits, exponent) => [minus ? "-" : "+", ...digits, exponent]),
  P1000: scientific((minus, digits, exponent) => [minus ? "-" : "+", digits, exponent]),
  B1999: scientific((minus, digits, exponent) => [(minus ? "-" : "") + digits, exponent]),
  FP15: scientific((minus, digits, exponent) => [(minus ? "-" : "") + digits + exponent]),
  Digits: grouped(1), Subword: grouped(3), LogBins: binned, IEEE754: bits, FoNE: circles,
  XVal: (x) => ({ words: ["[NUM]"], read: Math.fround(x), carries: String(Math.fround(x)) }),
};

// null where the encoder cannot hold the number
const spell = (name, x) => (Math.abs(x) <= live.encoders[name].high ? SPELL[name](x) : null);

// FoNE's digits: where x stands on the circle of each power of ten
function dials(digits) {
  return [...digits].map((_, i) => {
    const turn = 2 * Math.PI * Number("0." + digits.slice(i));
    return `<svg class="circle" viewBox="-1.4 -1.4 2.8 2.8" aria-hidden="true">
      <circle r="1.1" fill="none" stroke="currentColor" stroke-width=".12"/>
      <circle cx="${1.1 * Math.sin(turn)}" cy="${-1.1 * Math.cos(turn)}" r=".3" fill="var(--hue)"/></svg>`;
  }).join("");
}

const BELOW = {  // what a token carries, below its word
  IEEE754: (bits) => [bits[0], bits.slice(1, 9), bits.slice(9)].join(" "),
  FoNE: (digits) => (digits[0] === "1" ? "-" : "+") + " " + digits.slice(1, 7) + "." + digits.slice(7) +
    "<br>" + dials(digits.slice(1)),
  XVal: (value) => "× " + value,
};

function chips(name, { words, carries }) {
  const below = carries ? `<small>${BELOW[name](carries)}</small>` : "";
  return words.map((word) => `<span class="chip"><b>${escaped(word)}</b>${below}</span>`).join("");
}

function showSpelling() {
  const text = one("#number").value.trim().replaceAll("−", "-"), x = Number(text);
  const known = text !== "" && Number.isFinite(x);
  one("#no-number").textContent = known ? "" :
    Number.isNaN(x) || text === "" ? "Nothing to spell yet: type a number such as -60.25 or 3e8, with a decimal point." :
    "Too large: the greatest number of a computer's 64 bits is about 1.8e308.";
  one(".chips").hidden = !known;
  if (!known) return;
  for (const row of all("[data-encoder]")) {
    const name = row.dataset.encoder, spelled = spell(name, x), [count, tokens, back] = all("td", row);
    count.textContent = spelled ? spelled.words.length : "none";
    tokens.innerHTML = spelled ? chips(name, spelled) : "cannot hold it: " + escaped(live.encoders[name].holds);
    const same = spelled && spelled.read === x ? "the same number" : spelled && String(Number(spelled.read.toPrecision(9)));
    back.textContent = [same, spelled && spelled.note].filter(Boolean).join("; ");
  }
}

// ---- Pictures ----

// A saved table as objects, one a row
function rowsOf({ columns, data }) {
  return data.map((row) => Object.fromEntries(row.map((value, i) => [columns[i], value])));
}

const scale = (low, high, from, to) => (x) => from + ((x - low) / (high - low)) * (to - from);
const isNarrow = () => innerWidth < 700;
const text = (x, y, words, more = "") => `<text x="${x}" y="${y}" ${more}>${escaped(words)}</text>`;
const label = (x, y, words, anchor = "middle") => text(x, y, words, `class="axis" text-anchor="${anchor}"`);
const path = (d, more) => `<path d="${d}" fill="none" ${more}/>`;
const dot = (x, y, r, color, more = "") => `<circle cx="${x}" cy="${y}" r="${r}" fill="${color}" ${more}/>`;
const svg = (width, height, says, body) =>
  `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(says)}">${body}</svg>`;

// The values of training, as numlab's Planets have them: points and, of the orbit's size, a range
const UNITS = { stepsize: " yr / 2π", a0: " AU" };
const TRAINED = { stepsize: [[0.2], [0.3], [0.5], [0.8]], a0: [[1], [1.1667, 1.2333]] };

function gap() {
  const slider = one("#truth"), rows = rowsOf(live.gap);
  const slots = Object.fromEntries([...Map.groupBy(rows, (row) => row.slot)].map(([slot, part]) => {
    const encoders = [...Map.groupBy(part, (row) => row.encoder)].map(([name, own]) => {
      const answers = new Map(own.map((row) => [row.true, row]));
      return { name, answers, color: (live.encoders[name] || { color: "none" }).color };
    });
    return [slot, { encoders, truths: [...new Set(part.map((row) => row.true))].sort((a, b) => a - b) }];
  }));
  const slotNow = () => one("[name=slot]:checked").value;

  function draw() {
    const slot = slotNow(), { encoders, truths } = slots[slot], truth = truths[slider.value];
    const margin = 0.12 * (truths.at(-1) - truths[0]), shown = +truth.toPrecision(4);
    const width = isNarrow() ? 420 : 900, left = isNarrow() ? 62 : 90, right = width - 70;
    const x = scale(truths[0] - margin, truths.at(-1) + margin, left, right);
    const inside = (value) => Math.min(Math.max(x(value), left), right);
    const bottom = 34 + 34 * encoders.length;
    let body = label(left, bottom + 34, "grey: seen in training", "start");
    for (const [from, to = from] of TRAINED[slot]) {
      body += path(`M${x(from)} 24V${bottom}`, 'stroke="currentColor" opacity=".3" stroke-width="2"') +
        path(`M${x(from)} 24H${inside(to)}V${bottom}H${x(from)}z`, 'style="fill:currentColor" opacity=".12"') +
        label(x(from), bottom + 16, +from.toFixed(3));
    }
    body += path(`M${x(truth)} 18V${bottom}`, 'stroke="var(--bad)" stroke-width="2" stroke-dasharray="5 4"') +
      text(x(truth), 13, "the truth", 'text-anchor="middle" style="fill:var(--bad)"');
    encoders.forEach(({ name, answers, color }, i) => {
      const y = 44 + 34 * i, answer = answers.get(truth);
      body += text(0, y + 5, name) + path(`M${left} ${y}H${right}`, 'class="line"');
      if (!answer) { body += label(left + 6, y + 4, "no number", "start"); return; }
      const { low, middle, high } = answer;
      const bar = `M${inside(low)} ${y}H${inside(high)}`;
      body += path(bar, 'stroke="currentColor" stroke-width="7" opacity=".25"') +  // black shows in the dark, too
        path(bar, `stroke="${color}" stroke-width="5" opacity=".6"`) +
        dot(inside(middle), y, 7, color, 'stroke="currentColor" stroke-opacity=".5"') +
        text(width, y + 5, middle.toFixed(3), 'text-anchor="end"');
    });
    const models = encoders.filter(({ name }) => name !== "Kepler");  // the exact formula
    const given = models.flatMap(({ name, answers }) => (answers.has(truth) ? [{ name, ...answers.get(truth) }] : []));
    const off = (e) => Math.abs(e.middle - truth), least = Math.min(...given.map(off));
    const best = given.filter((e) => off(e) === least), named = best.map((e) => e.name).join(", ");
    const xval = given.find(({ name }) => name === "XVal");
    const isGrey = ({ middle }) => TRAINED[slot].some(([from, to = from]) => middle > from - 0.002 && middle < to + 0.002);
    const grey = given.filter(isGrey).map((e) => e.name).join(", ") || "nobody";
    one("#truth-shown").textContent = shown;
    slider.setAttribute("aria-valuetext", shown);
    one("#gap-says").textContent =
      !best.length ? `At ${shown}${UNITS[slot]}, nobody answers with a number.` :
      `At ${shown}${UNITS[slot]}, ${named} ${best.length > 1 ? "are" : "is"} nearest to the truth, off by ${least.toPrecision(2)}` +
      `${xval && !best.includes(xval) ? `; XVal by ${off(xval).toPrecision(2)}` : ""}. Answers seen in training (grey): ${grey}.`;
    one("#gap-plot").innerHTML = svg(width, bottom + 42, `What each encoder answers where the truth is ${shown}`, body);
  }
  function choose() {
    slider.max = slots[slotNow()].truths.length - 1;
    slider.value = Math.round(0.42 * slider.max);
    draw();
  }
  slider.addEventListener("input", draw);
  all("[name=slot]").forEach((radio) => radio.addEventListener("change", choose));
  addEventListener("resize", draw);
  choose();
}

// Radio buttons for the groups of a table, the last one chosen
function choices(of, names, change) {
  const radio = (name, i) => `<label><input type="radio" name="${of}" value="${i}"${i === names.length - 1 ? " checked" : ""}>
    ${escaped(name.split("layer ").at(-1))}</label>`;
  one(`.choices[data-of=${of}]`).innerHTML = names.map(radio).join("");
  all(`[name=${of}]`).forEach((button) => button.addEventListener("change", change));
  return () => names[one(`[name=${of}]:checked`).value];
}

// "7, 100 to 104" as numbers, and back
function parsed(words) {
  return new Set([...words.matchAll(/(\d+)(?:\s*(?:to|-|–)\s*(\d+))?/g)].flatMap(([, ...ends]) => {
    const [from, to] = ends.filter(Boolean).map(Number).sort((a, b) => a - b);
    return Array.from({ length: Math.min(1000, (to ?? from) - from + 1) }, (_, i) => from + i);
  }));
}

function ranges(numbers) {
  const runs = [];
  for (const n of numbers) {
    if (runs.length && runs.at(-1)[1] === n - 1) runs.at(-1)[1] = n;
    else runs.push([n, n]);
  }
  return runs.map(([from, to]) => (from === to ? from : from + " to " + to)).join(", ");
}

function cloud() {
  const clouds = Map.groupBy(rowsOf(live.cloud), (row) => row.cloud), width = 640, height = 460, box = one("#cloud-plot");
  const now = choices("cloud", [...clouds.keys()], place), most = clouds.get(now()).at(-1).number;
  box.innerHTML = `<canvas width="${2 * width}" height="${2 * height}" role="img" aria-label="The numbers 0 to ${most} as a cloud"></canvas>`;
  const pen = one("canvas", box).getContext("2d");
  let marks = [], brush = null;  // the brush: x, y, width, height

  function place() {  // the marks of a layer
    const rows = clouds.get(now()), [xs, ys] = ["pc1", "pc2"].map((axis) => rows.map((row) => row[axis]));
    const x = scale(Math.min(...xs), Math.max(...xs), 12, width - 12);
    const y = scale(Math.min(...ys), Math.max(...ys), height - 12, 12);
    const color = (share) => `hsl(${260 - 205 * share} 75% ${52 + 8 * share}%)`;
    marks = rows.map((row) => ({ ...row, x: x(row.pc1), y: y(row.pc2), color: color(row.number / most) }));
    choose();
  }
  function draw(chosen) {
    pen.setTransform(2, 0, 0, 2, 0, 0);
    pen.clearRect(0, 0, width, height);
    for (const isLit of [false, true]) {
      pen.globalAlpha = isLit ? 1 : 0.3;
      for (const { tokens, x, y, color } of marks.filter((mark) => chosen.has(mark.number) === isLit)) {
        pen.fillStyle = color;
        pen.beginPath();
        const corners = tokens === "several tokens" ? [[0, 5], [4.6, -3], [-4.6, -3]] : [];
        for (const [right, up] of corners) pen.lineTo(x + right, y - up);
        if (!corners.length) pen.arc(x, y, 4, 0, 7);
        pen.fill();
      }
    }
    pen.globalAlpha = 0.2;
    if (brush) pen.fillRect(...brush);
  }
  function choose() {
    const chosen = parsed(one("#chosen").value), lit = marks.filter((mark) => chosen.has(mark.number));
    const near = (mark) => (mark.near ? String(mark.near).split(" ") : []);
    draw(chosen);
    // the ten nearest numbers: five on each side, but at the ends
    const reach = (n) => Math.max(5, 10 - n, 10 - (most - n));
    const shared = lit.flatMap((mark) => near(mark).map((n) => Math.abs(n - mark.number) <= reach(mark.number)));
    const share = Math.round((100 * shared.filter(Boolean).length) / shared.length);
    const absent = chosen.size - lit.length;
    one("#cloud-says").textContent = `${lit.length} ${lit.length === 1 ? "number" : "numbers"} chosen.` +
      (absent ? ` ${absent} ${absent === 1 ? "is" : "are"} not among 0 to ${most}.` : "") +
      (shared.length ? ` Of the ten vectors nearest to each, ${share} % belong to its ten nearest numbers.` : "") +
      (lit.length > 8 ? " Below: the first 8." : "");
    const row = (mark) => `<tr><th scope="row">${mark.number}</th><td>${near(mark).join(", ")}</td></tr>`;
    one(".near tbody").innerHTML = lit.slice(0, 8).map(row).join("");
  }
  const at = (event) => {
    const area = one("canvas", box).getBoundingClientRect();
    return [((event.clientX - area.left) * width) / area.width, ((event.clientY - area.top) * height) / area.height];
  };
  box.addEventListener("pointerdown", (event) => { brush = [...at(event), 0, 0]; box.setPointerCapture(event.pointerId); });
  box.addEventListener("pointermove", (event) => {
    if (!brush) return;
    const [left, top] = brush, [x, y] = at(event);
    brush = [left, top, x - left, y - top];
    const between = (value, a, b) => (value - a) * (value - b) <= 0;
    const caught = marks.filter((mark) => between(mark.x, left, x) && between(mark.y, top, y));
    one("#chosen").value = ranges(caught.map((mark) => mark.number));
    choose();
  });
  for (const name of ["pointerup", "pointercancel"]) box.addEventListener(name, () => { brush = null; choose(); });
  one("#chosen").addEventListener("input", choose);
  place();
}

function spectrum() {
  const rows = rowsOf(live.spectrum).map((row) => ({ ...row, layer: row.source + ", " + row.stage }));
  const layers = Map.groupBy(rows, (row) => row.layer), slider = one("#period");
  const now = choices("spectrum", [...layers.keys()], draw);
  const powers = rows.map((row) => row.power), least = Math.max(0.01, Math.min(...powers)), most = Math.max(...powers);

  function draw() {
    const part = layers.get(now()), here = part[slider.value], shown = +here.period.toPrecision(4);
    const width = isNarrow() ? 420 : 900, height = isNarrow() ? 280 : 320, bottom = height - 38, right = width - 10;
    const x = scale(0, 0.5, 40, right), onLog = scale(Math.log(least), Math.log(most * 1.3), bottom, 10);
    const y = (power) => onLog(Math.log(Math.max(power, least)));
    const line = (rows) => "M" + rows.map((row) => x(row.frequency).toFixed(1) + " " + y(row.power).toFixed(1)).join("L");
    const marked = (row, r, color) => dot(x(row.frequency), y(row.power), r, color);
    let body = label(width / 2, height - 6, "period");
    for (const period of isNarrow() ? [20, 10, 5, 4, 3, 2] : [100, 20, 10, 5, 4, 3, 2.5, 2])
      body += path(`M${x(1 / period)} 10V${bottom}`, 'class="line"') + label(x(1 / period), bottom + 16, period);
    for (const power of [0.1, 1, 10, 100].filter((p) => p >= least && p <= most * 1.3))
      body += path(`M40 ${y(power)}H${right}`, 'class="line"') + label(34, y(power) + 4, power, "end");
    for (const [name, other] of layers) if (name !== now()) body += path(line(other), 'stroke="currentColor" opacity=".18"');
    body += path(line(part), 'stroke="var(--sure)" stroke-width="1.6"') +
      path(`M40 ${y(part[0].threshold)}H${right}`, 'stroke="var(--sure)" stroke-dasharray="5 4" opacity=".7"') +
      part.filter((row) => row.peak).map((row) => marked(row, 3.5, "var(--sure)")).join("") +
      path(`M${x(here.frequency)} 10V${bottom}`, 'stroke="var(--bad)" stroke-width="2"') + marked(here, 5, "var(--bad)");
    const chance = here.peak ? ": a peak" : here.power > here.threshold ? ", beyond chance, no peak" : ", as by chance";
    one("#period-shown").textContent = shown;
    slider.setAttribute("aria-valuetext", shown);
    one("#spectrum-says").textContent =
      `At period ${shown} the power is ${here.power.toPrecision(3)} times its mean${chance}. Pale lines: the other layers.`;
    one("#spectrum-plot").innerHTML = svg(width, height, `Power of the vectors by period, ${now()}`, body);
  }
  const first = [...layers.values()][0];
  slider.max = first.length - 1;
  slider.value = first.findIndex((row) => Math.abs(row.period - 10) < 0.01);
  slider.addEventListener("input", draw);
  addEventListener("resize", draw);
  draw();
}

// ---- Papers: folds, anchors, search ----

// Open whatever hides an element, and go there
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.closest("[hidden]")) {  // by a search
    one("#words").value = one("#verdict").value = "";
    search();
  }
  for (const fold of all("details", target).slice(0, target.matches("article") ? 1 : 0)) fold.open = true;
  for (let fold = target; fold; fold = fold.parentElement.closest("details")) if (fold.matches("details")) fold.open = true;
  target.scrollIntoView();
}

function search() {
  const typed = one("#words").value.toLowerCase(), verdict = one("#verdict").value;
  const words = [...typed.matchAll(/"([^"]+)"?|[^\s"]+/g)].map(([word, phrase]) => phrase ?? word);
  const asked = words.length || verdict, cards = all("#papers article:not(.absent)");
  let found = 0;
  for (const card of cards) {
    const says = (card.says ||= (card.id + " " + card.textContent).toLowerCase().replace(/\s+/g, " "));
    const fits = words.every((word) => says.includes(word)) && (!verdict || one('tr[data-verdict="' + verdict + '"]:not(.here *)', card));
    card.hidden = !fits;
    found += Boolean(fits);
    for (const row of all("tr[data-verdict]", card)) {
      row.classList.toggle("other", Boolean(verdict) && row.dataset.verdict !== verdict);
    }
  }
  for (const paper of all(".paper")) {
    paper.hidden = Boolean(asked) && !one("article:not(.absent):not([hidden])", paper);
    if (asked) paper.open = !paper.hidden;
  }
  for (const missing of all(".missing")) missing.hidden = Boolean(asked);
  one("#found").textContent = !asked ? "" : found ? `${found} of ${cards.length} figures (Enter)` : "no figure found";
}

// What was made on this machine; local.js is not committed
function addLocal(local) {
  for (const [id, content] of Object.entries(local)) {
    let place = document.getElementById(id);
    if (!place) {  // a view that was kept in a widget
      const [paper, name] = id.split("/");
      place = document.createElement("article");
      place.id = id;
      place.innerHTML = `<details><summary><h4>${escaped(name)}</h4> <span class="title">A view kept on this machine.</span>
        </summary><div class="card local"></div></details>`;
      one("#paper-" + paper).append(place);
    }
    place.classList.remove("absent");
    (one(".local", place) || place).innerHTML = content;
  }
}

if (typeof LOCAL !== "undefined") addLocal(LOCAL);
one("#number").addEventListener("input", showSpelling);
all("#examples button").forEach((button) => button.addEventListener("click", () => {
  one("#number").value = button.textContent;
  showSpelling();
}));
showSpelling();
if (live.gap) gap();
if (live.cloud) cloud();
if (live.spectrum) spectrum();
one("#words").addEventListener("input", search);
one("#verdict").addEventListener("change", () => { search(); one("#papers").scrollIntoView(); });
one("#words").addEventListener("keydown", (event) => event.key === "Enter" && one("#papers").scrollIntoView());
one("#all").addEventListener("click", () => {
  for (const fold of all(".paper:not([hidden]), article:not([hidden]) > details", one("#papers"))) fold.open = true;
});
addEventListener("hashchange", reveal);
document.addEventListener("click", (event) => {  // the same anchor again
  const link = event.target.closest('a[href^="#"]');
  if (link && link.hash === location.hash) reveal();
});
reveal();
