// Program of the child process that reads untrusted documents and does nothing else. The process is killed when a
// document takes too much time or memory.
import { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { describeFa3 } from '@invoicecontrol/compliance/fa3-document';
import { checkConfirmation } from '@invoicecontrol/compliance/ksef-confirmation';
import { loadOfficialRules } from '@invoicecontrol/compliance/official-rules';
import type { OfficialRules } from '@invoicecontrol/compliance/official-rules';
import { documentTexts } from '@invoicecontrol/extraction/document-texts';
import { examineDocument } from '@invoicecontrol/extraction/examine-document';
import { readDocument } from '@invoicecontrol/extraction/read-document';
import { renderDocument } from '@invoicecontrol/extraction/rendering/render-document';
import { carriesContact } from '@invoicecontrol/values/contact';
import { XML_ONLY } from './messages.js';
import type { FromChild, ResultOf, Task, ToChild } from './messages.js';

/** Prevents parsers of documents from opening connections. */
Socket.prototype.connect = () => {
  throw new Error('A process that reads documents must not open network connections.');
};

// Text recognition in documents runs in threads, and no other code in the child process uses threads. The first message
// to a thread shows that the recognition of text begins.
const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (...message) {
  send({ kind: 'recognises' });
  postMessage.apply(this, message);
};

/** Loads code in advance, so that the first document need not wait for it. */
const WARM_UP_XML = Buffer.from('<?xml version="1.0"?><Invoice/>');
const WARM_UP_PDF = Buffer.from(`%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length 68>>stream
BT /F 9 Tf 9 9 Td (Enough letters that this is taken for text) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
`);

// oxlint-disable-next-line node/no-process-env -- the parent process passes this one setting in the environment
const rulesDir = process.env['RULES_DIR'];
let officialRules: OfficialRules | undefined;
let task: Task | undefined;
let pieces: Uint8Array[] = [];

process.on('message', (message: ToChild) => {
  switch (message.kind) {
    case 'task':
      ({ task } = message);
      pieces = [];
      return;
    case 'bytes':
      pieces.push(message.bytes);
      return;
    case 'end':
      void finish();
  }
});
// The channel to the parent process closes when the parent has exited. The child process that reads documents then
// exits too.
process.on('disconnect', () => process.exit(0));

if (rulesDir !== undefined) officialRules = await loadOfficialRules(rulesDir);
await readDocument(WARM_UP_XML, { mediaType: 'application/xml', companies: [] });
if (!process.argv.includes(XML_ONLY)) {
  await readDocument(WARM_UP_PDF, { mediaType: 'application/pdf', companies: [] });
}
send({ kind: 'ready' });

async function finish(): Promise<void> {
  const given = task;
  const bytes = Buffer.concat(pieces);
  [task, pieces] = [undefined, []];
  try {
    if (given === undefined)
      throw new TypeError('The extraction process received the bytes of a document before the task of reading it.');
    send({ kind: 'result', result: await perform(given, bytes) });
  } catch (error) {
    send({ kind: 'defect', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

async function perform(given: Task, bytes: Buffer): Promise<ResultOf<Task>> {
  switch (given.kind) {
    case 'READ': {
      const { mediaType, mode, companies } = given;
      return examineDocument(bytes, { mediaType, mode, companies, officialRules });
    }
    case 'RENDER':
      return renderDocument(bytes, given.mediaType, given.target);
    case 'FA3':
      return describeFa3(bytes);
    case 'CONFIRMATION':
      return checkConfirmation(bytes, given.confirmed, given.trust);
    case 'CONTACT':
      return carriesContact(await documentTexts(bytes, given.mediaType), given.contact);
  }
}

function send(message: FromChild): void {
  process.send?.(message);
}
