import type { Answer } from '../call.js';

interface ConsentPage {
  readonly vendor: string;
  readonly choices: readonly { readonly id: string; readonly name: string }[];
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

const HTML = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };

/** Renders the page of OAuth consent: a company to choose, and both buttons. */
export function consentPage({ vendor, choices, path, query }: ConsentPage): Answer {
  const hidden = Object.entries(query)
    .filter(([name]) => name !== 'simulate' && name !== 'tenant')
    .map(([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`);
  const offered = choices.map(({ id, name }) => `<option value="${escape(id)}">${escape(name)}</option>`);
  return page(
    vendor,
    `<form method="get" action="${escape(path)}">${hidden.join('')}
<p><label>Company <select name="tenant">${offered.join('')}</select></label></p>
<p>The app asks for: ${escape(query['scope'] ?? '')}</p>
<button name="simulate" value="allow">Allow access</button>
<button name="simulate" value="deny">Cancel</button></form>`,
    200,
  );
}

/** Renders the OAuth page for errors after which no redirect is safe. */
export function errorPage(vendor: string, message: string): Answer {
  return page(vendor, `<p>Sorry, but the app did not connect.</p><p>${escape(message)}</p>`, 400);
}

function page(vendor: string, content: string, status: number): Answer {
  const title = escape(`${vendor} (simulator)`);
  return {
    status,
    headers: HTML,
    body: `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${content}</html>`,
  };
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
