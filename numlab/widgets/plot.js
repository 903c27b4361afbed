async function render({ model, el }) {
  const Plotly = await load(model);
  const draw = () => {
    const { data, layout } = JSON.parse(model.get("figure"));
    return Plotly.react(el, data, layout, { responsive: true, displayModeBar: false });
  };
  model.on("change:figure", draw);
  await draw();
  el.on("plotly_click", ({ points: [{ data, x, y }] }) => {
    model.set("clicked", [data.name, x, y]);
    model.save_changes();
  });
}

export default { render };
