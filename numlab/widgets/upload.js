function render({ model, el }) {
  const button = document.createElement("button"), input = document.createElement("input");
  button.className = "jupyter-button widget-button";
  button.textContent = "Upload a file";
  input.type = "file";
  input.accept = model.get("accept");
  button.onclick = () => { input.value = ""; input.click(); };  // the same file, too
  input.onchange = async () => {
    const [{ name }] = input.files, content = await input.files[0].arrayBuffer();
    model.send({ name }, undefined, [content]);
  };
  const enable = () => { button.disabled = model.get("disabled"); };
  enable();
  model.on("change:disabled", enable);
  el.append(button);
}

export default { render };
