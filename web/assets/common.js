// What all parts of the page share: requests, and words for counts.
export { html, render, useEffect, useRef, useState } from "/assets/htm-preact.js";

const read = async (response) => {
  const found = response.status === 204 ? {} : await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(found.error?.message ?? response.statusText);
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
export const pathOf = (thread) => `/api/threads/${encodeURIComponent(thread)}`;

export const counted = (number, word) =>
  `${number.toLocaleString()} ${word}${number === 1 ? "" : "s"}`;
/** As in "2 calls, 812 tokens, 3.1 s". */
export const cost = (usages) => {
  const sum = (name) => usages.reduce((total, usage) => total + usage[name], 0);
  const about = sum("estimated_calls") ? "about " : "";
  return `${counted(sum("model_calls"), "call")}, ` +
    `${about}${counted(sum("input_tokens") + sum("output_tokens"), "token")}, ` +
    `${sum("seconds").toFixed(1)} s`;
};
