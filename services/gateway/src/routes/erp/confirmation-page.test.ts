import { expect, test } from 'vitest';
import { confirmationPage } from './confirmation-page.js';

async function htmlOf(names: { workspaceName: string; companyName: string; tenantName: string }): Promise<string> {
  const page = confirmationPage({
    ...names,
    confirmation: 'flow.secret',
    providerName: 'Xero',
    returnOrigin: 'https://app.example.com',
    actionPath: '/v1/erp-connections/oauth/callback',
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of page.content ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

test('the consent page shows by its number what nobody sees in a name, also in one that is stored', async () => {
  const html = await htmlOf({
    workspaceName: 'Acme\u202e dtL',
    companyName: 'Ac\0me\r\nLtd',
    tenantName: `Ac\u2066me\u200b${'x'.repeat(3_000)}<b>`,
  });
  expect(html).toContain('<dd>Acme[U+202E] dtL</dd>');
  expect(html).toContain('<dd>Ac[U+0000]me Ltd</dd>');
  expect(html).toMatch(/<dd>Ac\[U\+2066\]me\[U\+200B\]x+…<\/dd>/);
  expect(html).not.toMatch(/[\u0000\u202e\u2066\u200b]|x{201}/);
});
