async function render({ model, el }) {
  const Plotly = await load(model);
  const draw = () => {
    const { data, layout } = JSON.parse(model.get("figure"));
    el.style.height = `${layout?.height}px`;  // also while plotly resizes: it may forget its own
    return Plotly.react(el, data, layout, { responsive: true, displayModeBar: false });
  };
  model.on("change:figure", draw);
  await draw();
  el.on("plotly_click", ({ points: [{ data, x, y }] }) => {
    model.set("clicked", [data.name, x, y]);
    model.save_changes();
  });
  return followWidth(Plotly, el);
}

export default { render };
