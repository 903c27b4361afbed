// A cell of JupyterLab changes its width beside a sidebar; plotly's `responsive` follows the window.
function followWidth(Plotly, el) {
  const observer = new ResizeObserver(() => el.offsetWidth && Plotly.Plots.resize(el));
  observer.observe(el);
  return () => {
    observer.disconnect();
    Plotly.purge(el);
  };
}

function load(model) {
  return globalThis.numlabPlotly ??= new Promise((resolve) => {
    model.on("msg:custom", (_, [code]) => {
      const script = document.createElement("script");
      script.src = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
      script.onload = () => resolve(globalThis.Plotly);
      document.head.append(script);
    });
    model.on("comm_live_update", () => {  // the kernel went before it answered: ask the next one
      if (!globalThis.Plotly) globalThis.numlabPlotly = undefined;
    });
    model.send("plotly");
  });
}
