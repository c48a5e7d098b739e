// What all parts of the page share: requests, and words for counts.
export { html, render, useEffect, useRef, useState } from "/assets/htm-preact.js";

const read = async (response) => {
  const found = response.status === 204 ? {} : await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(found.error?.message || response.statusText || `HTTP ${response.status}`), { status: response.status });
  return found;
};
export const get = async (path) => read(await fetch(path));
export const send = async (path, body, method = "POST") => {
  const init = { method, headers: { "content-type": "application/json" } };
  if (body !== undefined) init.body = JSON.stringify(body);
  return read(await fetch(path, init));
};
export const upload = async (file, kind = "uploads") =>
  read(await fetch(`/api/${kind}/${encodeURIComponent(file.name)}`, {
    method: "PUT", body: file, headers: { "content-type": "application/octet-stream" },
  }));
/** The files of a drop, with those in its folders. */
export const dropped = async (transfer) => {
  const called = (start) => new Promise(start);
  const filesOf = async (entry) => {
    if (entry.isFile) return [await called((found, failed) => entry.file(found, failed))];
    const [reader, inside] = [entry.createReader(), []];
    for (let some; (some = await called((found, failed) => reader.readEntries(found, failed))).length; ) inside.push(...some);
    return (await Promise.all(inside.filter((one) => !one.name.startsWith(".")).map(filesOf))).flat();
  };
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  return (await Promise.all(entries.map(filesOf))).flat();
};
export const pathOf = (thread) => `/api/threads/${encodeURIComponent(thread)}`;

export const counted = (number, word) =>
  `${number.toLocaleString()} ${word}${number === 1 ? "" : "s"}`;
/** What a million tokens cost, in and out, as the person told this browser for a model. */
export const pricesOf = (model) => {
  try {
    return JSON.parse(localStorage.getItem(`prices ${model}`) ?? "[0, 0]");
  } catch { // a saved page may be shown where nothing can be stored
    return [0, 0];
  }
};
export const setPrices = (model, prices) =>
  localStorage.setItem(`prices ${model}`, JSON.stringify(prices));
/** The price of some usages; "" if a model's price is not known. */
const money = (usages) => {
  const paid = usages.filter((usage) => usage.input_tokens + usage.output_tokens > 0);
  const prices = paid.map((usage) => pricesOf(usage.model));
  if (!paid.length || !prices.every(([input, output]) => input || output)) return "";
  const total = paid.reduce((sum, usage, place) =>
    sum + usage.input_tokens * prices[place][0] + usage.output_tokens * prices[place][1], 0);
  return `, ${(total / 1e6).toFixed(4)} at your prices`;
};
/** As in "2 calls, 812 tokens, 3.1 s". */
export const cost = (usages) => {
  const sum = (name) => usages.reduce((total, usage) => total + usage[name], 0);
  const about = sum("estimated_calls") ? "about " : "";
  return `${counted(sum("model_calls"), "call")}, ` +
    `${about}${counted(sum("input_tokens") + sum("output_tokens"), "token")}, ` +
    `${sum("seconds").toFixed(1)} s${money(usages)}`;
};
