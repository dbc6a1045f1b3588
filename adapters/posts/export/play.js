"use strict";
const steps = [...document.querySelectorAll("article")];
const by = (id) => document.getElementById(id);
const bar = by("bar"), seek = by("seek"), play = by("play"), speed = by("speed");
let at = 0, timer = 0;
function show(n, follows) {
  at = Math.max(0, Math.min(steps.length - 1, n));
  steps.forEach((step, i) => { step.hidden = i > at; });
  by("otherwise").hidden = at < steps.length - 1;
  seek.value = at;
  by("where").textContent = (at + 1) + " / " + steps.length;
  if (follows) { steps[at].scrollIntoView({block: "nearest"}); }
}
function halt() { clearTimeout(timer); timer = 0; play.textContent = play.dataset.play; }
function next() {
  show(at + 1, true);
  if (at >= steps.length - 1) { halt(); return; }
  const wait = Math.min(9000, 900 + 22 * steps[at].textContent.length) / Number(speed.value);
  timer = setTimeout(next, wait);
}
play.addEventListener("click", () => {
  if (timer) { halt(); return; }
  if (at >= steps.length - 1) { show(0, true); }
  play.textContent = play.dataset.stop;
  timer = setTimeout(next, 400);
});
by("back").addEventListener("click", () => { halt(); show(at - 1, true); });
by("on").addEventListener("click", () => { halt(); show(at + 1, true); });
seek.addEventListener("input", () => { halt(); show(Number(seek.value), true); });
document.addEventListener("keydown", (key) => {
  const on = key.target.tagName;
  if (on === "INPUT" || on === "SELECT" || key.ctrlKey || key.altKey || key.metaKey) { return; }
  if (key.key === "ArrowRight") { by("on").click(); }
  if (key.key === "ArrowLeft") { by("back").click(); }
  if (key.key === " " && on !== "BUTTON") { key.preventDefault(); play.click(); }
});
const votes = by("votes");
function tell() { by("then").textContent = votes.selectedOptions[0].dataset.then; }
if (votes) { votes.addEventListener("change", tell); tell(); }
bar.hidden = false;
show(0);
