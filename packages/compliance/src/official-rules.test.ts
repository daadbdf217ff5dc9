import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadOfficialRules } from './official-rules.js';
import { ublInvoice, XRECHNUNG, STANDARD } from './testing/base-invoices.js';
import { validateXml } from './validate-xml.js';

/** Stylesheet with one assertion, in the form of the official stylesheets. */
const STYLESHEET = `<xsl:stylesheet version="3.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:svrl="http://purl.oclc.org/dsdl/svrl" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
<xsl:template match="/"><svrl:schematron-output><xsl:if test="not(//cbc:AccountingCost)"><svrl:failed-assert id="BR-DE-99" flag="warning" location="/*:Invoice[1]"><svrl:text>Add the accounting cost.</svrl:text></svrl:failed-assert></xsl:if></svrl:schematron-output></xsl:template>
</xsl:stylesheet>`;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rules-'));
  writeFileSync(join(folder, 'tiny.xslt'), STYLESHEET);
  const require = createRequire(import.meta.url);
  const compiler = require.resolve('xslt3/xslt3.js');
  execFileSync(process.execPath, [
    compiler,
    `-xsl:${join(folder, 'tiny.xslt')}`,
    `-export:${join(folder, 'XRechnung-UBL-validation.sef.json')}`,
    '-nogo',
  ]);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('an artefact of the operator takes the place of the set it stands for and is named', async () => {
  const officialRules = await loadOfficialRules(folder);
  const context = { embeddedInPdf: false, declaredProfiles: [], officialRules };
  expect(validateXml(Buffer.from(ublInvoice(STANDARD, XRECHNUNG)), 'DECLARED_PROFILES', context)).toMatchObject({
    ruleSets: ['official-XRechnung-UBL-validation', 'en16931-1.3.16+own2'],
    rules: [
      {
        id: 'BR-DE-99',
        flag: 'WARNING',
        message: 'Add the accounting cost.',
        location: '/*:Invoice[1]',
        expected: null,
        actual: null,
      },
    ],
    total: 1,
  });
  expect(validateXml(Buffer.from(ublInvoice()), 'ALL', context)?.ruleSets).toEqual([
    'en16931-1.3.16+own2',
    'peppol-2026.5+own2',
  ]);
});

test('a file that names no rule set is refused with what to change', async () => {
  writeFileSync(join(folder, 'rules.sef.json'), '{}');
  try {
    await expect(loadOfficialRules(folder)).rejects.toThrow(/rules\.sef\.json names no rule set\. Rename it/);
  } finally {
    rmSync(join(folder, 'rules.sef.json'));
  }
});
