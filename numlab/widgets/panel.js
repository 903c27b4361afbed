// A click on a slider's track moves its nearest handle: give it the focus, and arrow keys go on.
function focusHandle({ target, clientX }) {
  const handles = [...(target.closest(".noUi-target")?.querySelectorAll(".noUi-handle") ?? [])];
  const distance = (handle) => {
    const { left, right } = handle.getBoundingClientRect();
    return Math.abs(clientX - (left + right) / 2);
  };
  const [nearest] = handles.sort((a, b) => distance(a) - distance(b));
  setTimeout(() => nearest?.focus());  // after JupyterLab has focused the cell
}

// ipywidgets gives a handle no name: a screen reader would say "slider".
function nameHandle({ target }) {
  const label = target.closest(".noUi-handle") && target.closest(".widget-slider");
  if (label) target.setAttribute("aria-label", label.querySelector(".widget-label").textContent);
}

function render({ model, el }) {
  const note = document.createElement("div");
  note.setAttribute("role", "status");
  note.style.cssText = "color: #B00020; background: #FFF; font-weight: 600";
  el.append(note);
  const again = document.body.dataset.voila
    ? "reload the page." : "run the cells again (menu Run, Run All Cells).";
  model.on("comm_live_update", () => {
    note.textContent = `The kernel has stopped, and this panel with it: ${again}`;
    note.style.padding = "4px 8px";
  });
  const shown = new AbortController(), { signal } = shown;
  document.addEventListener("click", focusHandle, { signal });
  document.addEventListener("focusin", nameHandle, { signal });
  return () => shown.abort();
}

export default { render };
