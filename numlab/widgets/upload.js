const PIECE = 4 << 20;  // bytes: Jupyter closes its connection at a message of more than 10 MiB

function render({ model, el }) {
  const button = document.createElement("button"), input = document.createElement("input");
  button.className = "jupyter-button widget-button";
  button.textContent = "Upload a file";
  input.type = "file";
  input.accept = model.get("accept");
  button.onclick = () => { input.value = ""; input.click(); };  // the same file, too
  const enable = () => { button.disabled = model.get("disabled"); };
  input.onchange = async () => {
    const [file] = input.files, { name, size } = file;
    button.disabled = true;
    for (let at = 0; at === 0 || at < size; at += PIECE) {
      const content = await file.slice(at, at + PIECE).arrayBuffer();
      model.send({ name, at, isLast: at + PIECE >= size }, undefined, [content]);
    }
    enable();
  };
  enable();
  model.on("change:disabled", enable);
  el.append(button);
}

export default { render };
