import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attackFiles } from '@invoicecontrol/extraction/testing/attack-files';
import { printInvoice } from '@invoicecontrol/extraction/testing/printed-invoice';
import { sampleInvoice } from '@invoicecontrol/extraction/testing/sample-invoice';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { RenderingDocument } from '../storage/renderings.js';
import { call60 as call, newOrganization, startDocuments } from '../testing/running-documents.js';
import type { RunningDocuments } from '../testing/running-documents.js';

/**
 * The timeout is long, because a document that needs too many resources is rendered twice, each time until it reaches a
 * limit.
 */
const BOMB_MS_MAX = 60_000;
const INVOICE_ID = '0198a3f0-6d2e-7a41-8c5b-2f9d1e7b4a60';

let running: RunningDocuments;
let pdf: Buffer;
beforeAll(async () => {
  running = await startDocuments(startService, testInfrastructure(), testDatabaseName(), {
    EXTRACTION_CHILDREN: '2',
    EXTRACTION_SECONDS: '3',
  });
  pdf = Buffer.from(await printInvoice(sampleInvoice()));
});
afterAll(() => running.stop());

const xml = `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
  xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"><cbc:ID>RE-1</cbc:ID></Invoice>`;

async function upload(organizationId: string, bytes: Buffer, mediaType = 'application/pdf'): Promise<string> {
  const { uploadId, token } = await running.reserve(organizationId, bytes.length, { mediaType });
  await running.send({ uploadId, token, mediaType, bytes });
  return uploadId;
}

interface Target {
  readonly organizationId: string;
  readonly uploadId: string;
  readonly page: { readonly number: number; readonly width: number } | undefined;
  readonly wordsOfPage: number | undefined;
}

const describeIt = (target: Target) => running.documents.describeRendering(target, call);
const page = (organizationId: string, uploadId: string, width = 300, number = 1): Target => ({
  organizationId,
  uploadId,
  page: { number, width },
  wordsOfPage: undefined,
});

async function readIt(target: Target): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const { content } of running.documents.readRendering({ ...target, invoiceId: INVOICE_ID }, call)) {
    pieces.push(Buffer.from(content));
  }
  return Buffer.concat(pieces);
}

const records = () => running.mongo.db.collection<RenderingDocument>('renderings');
const cached = (organizationId: string) => records().countDocuments({ organizationId });

describe('a page of a document', () => {
  test('is drawn once for each width, described and streamed alike, also for requests at once', async () => {
    const organizationId = newOrganization();
    const target = page(organizationId, await upload(organizationId, pdf));
    const answers = await Promise.all(Array.from({ length: 5 }, () => describeIt(target)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const content = await readIt(target);
    expect(answers[0]?.rendering).toEqual({
      mediaType: 'image/png',
      byteSize: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    });
    expect(content.subarray(1, 4).toString()).toBe('PNG');
    expect(await cached(organizationId)).toBe(1);
    await describeIt({ ...target, page: { number: 1, width: 301 } });
    expect(await cached(organizationId)).toBe(2);
  });

  test('is drawn alike when the cache has lost it', async () => {
    const organizationId = newOrganization();
    const target = page(organizationId, await upload(organizationId, pdf));
    const first = await describeIt(target);
    await records().deleteMany({ organizationId });
    expect(await describeIt(target)).toEqual(first);
  });

  test('is read by somebody: the audit trail has it', async () => {
    const organizationId = newOrganization();
    const target = page(organizationId, await upload(organizationId, pdf));
    await describeIt(target);
    const lines = () => running.mongo.db.collection('audit_lines').find({ organizationId }).toArray();
    expect(await lines()).toEqual([]);
    await readIt(target);
    await eventually(async () => {
      expect(JSON.stringify(await lines())).toMatch(new RegExp(`document.read.*invoice:${INVOICE_ID}`));
    });
  });

  test('that the document does not have is no error: it says how many there are, and none for XML', async () => {
    const organizationId = newOrganization();
    const uploadId = await upload(organizationId, pdf);
    expect(await describeIt(page(organizationId, uploadId, 1, 1_000_000_000))).toEqual({
      rendering: undefined,
      pages: 1,
    });
    await expect(readIt(page(organizationId, uploadId, 1, 2))).rejects.toMatchObject({ kind: 'not_found' });
    const xmlId = await upload(organizationId, Buffer.from(xml), 'application/xml');
    expect(await describeIt(page(organizationId, xmlId))).toEqual({ rendering: undefined, pages: 0 });
    expect(await cached(organizationId)).toBe(0);
  });

  test.each([
    [0, 1],
    [-1, 1],
    [1, 0],
    [1, 2_001],
  ])('with number %i and width %i is refused', async (number, width) => {
    const organizationId = newOrganization();
    const uploadId = await upload(organizationId, pdf);
    await expect(describeIt(page(organizationId, uploadId, width, number))).rejects.toMatchObject({ kind: 'invalid' });
  });

  test('is missing for another organization, also when it is in the cache', async () => {
    const organizationId = newOrganization();
    const uploadId = await upload(organizationId, pdf);
    await describeIt(page(organizationId, uploadId));
    const foreign = page(newOrganization(), uploadId);
    await expect(describeIt(foreign)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(readIt(foreign)).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('of a deleted organization leaves the cache', async () => {
    const organizationId = newOrganization();
    await describeIt(page(organizationId, await upload(organizationId, pdf)));
    await running.deleteOrganization(organizationId);
    await eventually(async () => expect(await cached(organizationId)).toBe(0));
  });

  test('leaves the cache after a day', async () => {
    const organizationId = newOrganization();
    await describeIt(page(organizationId, await upload(organizationId, pdf)));
    running.clock.shiftMs += 25 * 3_600_000;
    await eventually(async () => expect(await cached(organizationId)).toBe(0));
  });

  test('of a damaged file is refused alike each time, and tried only once', async () => {
    const organizationId = newOrganization();
    const target = page(organizationId, await upload(organizationId, Buffer.from('%PDF-1.7\nnothing of it')));
    const refusal = { kind: 'unprocessable', message: expect.stringMatching(/^[A-Z].{20}/) };
    await expect(describeIt(target)).rejects.toMatchObject(refusal);
    await expect(readIt(target)).rejects.toMatchObject(refusal);
    expect(await cached(organizationId)).toBe(1);
  });

  test(
    'that takes too much is refused within the limits, while others are drawn',
    async () => {
      const [attacker, organizationId] = [newOrganization(), newOrganization()];
      const bomb = page(attacker, await upload(attacker, attackFiles.savedStates()), 2_000);
      const refusal = describeIt(bomb).catch((error: unknown) => error);
      const target = page(organizationId, await upload(organizationId, pdf));
      expect((await describeIt(target)).rendering).toBeDefined();
      expect(await refusal).toMatchObject({ kind: 'unprocessable' });
      await expect(describeIt(bomb)).rejects.toMatchObject({ kind: 'unprocessable' });
      expect(await cached(attacker)).toBe(1);
    },
    BOMB_MS_MAX,
  );
});

describe('the words of a page', () => {
  const words = (organizationId: string, uploadId: string, wordsOfPage = 1): Target => ({
    organizationId,
    uploadId,
    page: undefined,
    wordsOfPage,
  });

  test('are JSON that is made once, and reading them is in the audit trail', async () => {
    const organizationId = newOrganization();
    const target = words(organizationId, await upload(organizationId, pdf));
    const { rendering } = await describeIt(target);
    const content = await readIt(target);
    expect(rendering).toMatchObject({ mediaType: 'application/json', byteSize: content.length });
    expect(JSON.parse(content.toString())).toMatchObject({ isTruncated: false, words: expect.any(Array) });
    expect(await cached(organizationId)).toBe(1);
    await eventually(async () => {
      const lines = await running.mongo.db.collection('audit_lines').find({ organizationId }).toArray();
      expect(JSON.stringify(lines)).toMatch(new RegExp(`document.read.*invoice:${INVOICE_ID}`));
    });
  });

  test('of a page that does not exist are no error, of page 0 are refused, and of another organization missing', async () => {
    const organizationId = newOrganization();
    const uploadId = await upload(organizationId, pdf);
    expect(await describeIt(words(organizationId, uploadId, 2))).toEqual({ rendering: undefined, pages: 1 });
    await expect(describeIt(words(organizationId, uploadId, 0))).rejects.toMatchObject({ kind: 'invalid' });
    await expect(describeIt(words(newOrganization(), uploadId))).rejects.toMatchObject({ kind: 'not_found' });
  });
});

describe('the view of a document', () => {
  const view = (organizationId: string, uploadId: string): Target => ({
    organizationId,
    uploadId,
    page: undefined,
    wordsOfPage: undefined,
  });

  test('is a page of HTML for XML, and nothing for a PDF without', async () => {
    const organizationId = newOrganization();
    const xmlId = await upload(organizationId, Buffer.from(xml), 'application/xml');
    const { rendering } = await describeIt(view(organizationId, xmlId));
    const html = (await readIt(view(organizationId, xmlId))).toString();
    expect(rendering).toMatchObject({ mediaType: 'text/html', byteSize: Buffer.byteLength(html) });
    expect(html).toContain('<bdi>RE-1</bdi>');
    const pdfId = await upload(organizationId, pdf);
    expect(await describeIt(view(organizationId, pdfId))).toEqual({ rendering: undefined, pages: undefined });
  });

  test('of XML that cannot be read is refused with its reason', async () => {
    const organizationId = newOrganization();
    const uploadId = await upload(organizationId, Buffer.from('<?xml version="1.0"?><Invoice>'), 'application/xml');
    await expect(describeIt(view(organizationId, uploadId))).rejects.toMatchObject({ kind: 'unprocessable' });
  });
});
