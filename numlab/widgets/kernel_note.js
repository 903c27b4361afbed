function render({ model, el }) {
  const note = document.createElement("div");
  note.setAttribute("role", "status");
  note.style.cssText = "color: #B00020; background: #FFF; font-weight: 600";
  el.append(note);
  model.on("comm_live_update", () => {
    note.textContent = "The kernel has stopped, and this panel with it: run the cells again " +
      "(menu Run, Run All Cells; in a web app, reload the page).";
    note.style.padding = "4px 8px";
  });
}

export default { render };
