const PALE = 0.15;  // opacity of the points that are not chosen
const SHADES = 256;

// (256, 4) bytes: the colours of a plotly colour axis, from its least number to its greatest
function shadesOf({ colorscale }) {
  const context = new OffscreenCanvas(SHADES, 1).getContext("2d");
  context.fillStyle = context.createLinearGradient(0, 0, SHADES, 0);
  colorscale.forEach(([at, color]) => context.fillStyle.addColorStop(at, color));
  context.fillRect(0, 0, SHADES, 1);
  return context.getImageData(0, 0, SHADES, 1).data;
}

// Whether a point lies in a closed line: a ray from it crosses that an odd number of times
function isInside(x, y, line) {
  let inside = false;
  line.forEach(([x1, y1], i) => {
    const [x0, y0] = line.at(i - 1);
    if (y0 > y !== y1 > y && x < x0 + ((x1 - x0) * (y - y0)) / (y1 - y0)) inside = !inside;
  });
  return inside;
}

// The closed line that plotly's box or lasso has drawn
function outline({ type, path, x0, x1, y0, y1 }) {
  if (type === "rect") return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
  return path.slice(1, -1).split("L").map((point) => point.split(",").map(Number));
}

async function render({ model, el }) {
  const Plotly = await load(model);
  const modeBarButtons = [["select2d", "lasso2d", "zoom2d", "pan2d", "resetScale2d"]];
  const config = { responsive: true, displaylogo: false, modeBarButtons };
  const send = (name, value) => { model.set(name, value); model.save_changes(); };
  const chosen = () => JSON.parse(`[${model.get("chosen")}]`);
  const panes = (kind) => el._fullData.filter((t) => t.meta === "pane" && t.type === kind);
  let changing = 0;  // plotly takes an outline that we remove for a choice of nothing
  const quietly = async (change) => {
    changing += 1;
    await change();
    changing -= 1;
  };
  const draw = async () => {
    const { data, layout } = JSON.parse(model.get("figure"));
    el.style.height = `${layout.height}px`;  // also while plotly resizes: it may forget its own
    await quietly(() => Plotly.react(el, data, layout, config));
    await ring();
  };
  // In three dimensions, rings mark the chosen points.
  const ring = async () => {
    const rings = panes("scatter3d").map(({ type, scene, marker, ...axes }) => {
      const look = { size: 2.5 * marker.size, symbol: "circle-open", color: "#D55E00" };
      const [x, y, z] = ["x", "y", "z"].map((axis) => chosen().map((i) => axes[axis][i]));
      return { type, scene, x, y, z, mode: "markers", marker: look, hoverinfo: "skip", meta: "ring" };
    });
    const data = el.data.filter(({ meta }) => meta === "pane");
    if (rings.length) await Plotly.react(el, [...data, ...rings], el.layout, config);
  };
  // Without selectPoints plotly marks no points itself: for that it draws all 100,000 anew, with
  // each move of the mouse. We leave them as they are, pale, and draw what is chosen over them.
  const mark = () => {
    const flat = panes("scattergl"), indices = chosen();
    flat.forEach(({ _module }) => (_module.selectPoints = undefined));
    const below = el.querySelector(".gl-container");
    let canvas = below.querySelector(".numlab-chosen");
    if (!canvas) {
      canvas = below.appendChild(document.createElement("canvas"));
      canvas.className = "numlab-chosen";
      canvas.style = "position: absolute; inset: 0; width: 100%; height: 100%";
      canvas.style.pointerEvents = "none";
    }
    const opacity = indices.length && flat.length ? PALE : 1;
    below.querySelectorAll(".gl-canvas").forEach(({ style }) => (style.opacity = opacity));
    const { width, height } = el._fullLayout;
    [canvas.width, canvas.height] = [width, height].map((n) => n * devicePixelRatio);
    const context = canvas.getContext("2d");
    context.scale(devicePixelRatio, devicePixelRatio);
    flat.forEach((trace) => paint(context, trace, indices));
    canvas.dataset.drawn = flat.map(() => indices.length);
  };
  const paint = (context, { x, y, xaxis, yaxis, marker }, indices) => {
    const { xaxis: across, yaxis: up } = el._fullLayout._plots[xaxis + yaxis];
    const { coloraxis } = el._fullLayout;
    const shades = shadesOf(coloraxis);
    const radius = Math.max(marker.size / 2, Math.min(4, 100 / indices.length));  // few: larger
    const shade = (value) => {
      const share = (value - coloraxis.cmin) / (coloraxis.cmax - coloraxis.cmin || 1);
      const at = 4 * Math.min(SHADES - 1, Math.max(0, Math.floor(SHADES * share)));
      return `rgb(${shades[at]} ${shades[at + 1]} ${shades[at + 2]})`;
    };
    context.save();
    context.beginPath();
    context.rect(across._offset, up._offset, across._length, up._length);
    context.clip();
    for (const i of indices) {
      const [left, top] = [across._offset + across.c2p(x[i]), up._offset + up.c2p(y[i])];
      context.fillStyle = shade(marker.color[i]);
      context.beginPath();
      context.arc(left, top, radius, 0, 2 * Math.PI);
      context.fill();
    }
    context.restore();
  };
  let brushed;  // its outline stays until something else is chosen
  const onChosen = async () => {
    mark();
    await ring();
    if (brushed !== model.get("chosen") && el.layout.selections?.length)
      await quietly(() => Plotly.relayout(el, { selections: [] }));
  };
  const choose = (indices) => {
    if (changing) return;
    el.dataset.asked = performance.now();
    brushed = indices.join();
    send("chosen", brushed);
  };
  const within = (areas) => {
    const { x, y } = panes("scattergl").find(({ xaxis }) => xaxis === areas[0].xref);
    const lines = areas.map(outline);
    return [...x.keys()].filter((i) => lines.some((line) => isInside(x[i], y[i], line)));
  };
  const onSelected = (event) => {
    if (!event?.selections.length) return;
    const { selections } = event;  // the last is new; those in other panes go
    const here = selections.filter(({ xref }) => xref === selections.at(-1).xref);
    choose(within(here));
    if (here.length < selections.length)
      quietly(() => Plotly.relayout(el, { selections: here }));
  };
  const onAnswered = () => {  // when everything that came with the answer is drawn, too
    requestAnimationFrame(() => {
      el.dataset.answeredMs = performance.now() - el.dataset.asked;
    });
  };
  await draw();
  mark();  // what was chosen while the page was loading
  model.on("change:figure", draw);
  model.on("change:chosen", onChosen);
  model.on("change:answered", onAnswered);
  el.on("plotly_afterplot", mark);
  el.on("plotly_relayouting", mark);
  el.on("plotly_selected", onSelected);
  el.on("plotly_deselect", () => choose([]));
  el.on("plotly_click", ({ event, points }) => {
    if (event.detail < 2) choose(points.map((point) => point.pointNumber));  // two choose nothing
  });
  el.on("plotly_hover", ({ points: [point] }) => {
    if (point.data.meta === "pane") send("hovered", point.pointNumber);
  });
  return followWidth(Plotly, el);
}

export default { render };
