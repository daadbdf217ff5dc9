// In tests, this program replaces the child process that reads documents. The bytes of the "document" that a test sends
// tell the process what to do.
import { setTimeout as delay } from 'node:timers/promises';
import type { FromChild, Task, ToChild } from '../extraction/messages.js';

/** Instruction that a test gives the child process: one of the cases of `obey`, or `signal <name>`. */
let instruction = '';
let kind: Task['kind'] = 'READ';
const SIGNAL = 'signal ';
/** Memory that the test child process allocates and keeps after the instruction `keep`. */
const held: Buffer[] = [];

process.on('message', (message: ToChild) => {
  if (message.kind === 'task') {
    instruction = '';
    ({ kind } = message.task);
  } else if (message.kind === 'bytes') instruction += Buffer.from(message.bytes).toString();
  else void obey();
});
process.on('disconnect', () => process.exit(0));
send({ kind: 'ready' });

async function obey(): Promise<void> {
  switch (instruction) {
    case 'spin':
      for (;;) held.length = 0;
    case 'sleep':
      return;
    case 'recognise':
      send({ kind: 'recognises' });
      await delay(1_500);
      // The test child process sends a message for every further page whose text it recognizes. These messages do not
      // extend the time limit.
      send({ kind: 'recognises' });
      answer('recognised');
      return;
    case 'recognise for ever':
      for (;;) {
        send({ kind: 'recognises' });
        await delay(100);
      }
    case 'hold':
      for (;;) {
        held.push(Buffer.alloc(8 * 1024 * 1024, 1));
        await delay(1);
      }
    case 'fill the heap':
      for (const filled: number[][] = []; ;) filled.push(Array.from({ length: 100_000 }, () => Math.random()));
    case 'crash':
      process.abort();
      break;
    case 'exit':
      process.exit(1);
      break;
    case 'defect':
      send({ kind: 'defect', message: 'a bug' });
      return;
    case 'env':
      // oxlint-disable-next-line node/no-process-env -- the test asks which variables the child process can see
      answer(JSON.stringify({ env: Object.keys(process.env), argv: process.argv }));
      return;
    default:
      if (instruction.startsWith(SIGNAL)) {
        process.kill(process.pid, instruction.slice(SIGNAL.length));
        return;
      }
      answer(`${process.pid}: ${instruction}`);
  }
}

function answer(message: string): void {
  if (kind === 'RENDER') {
    send({ kind: 'result', result: { rendering: { mediaType: 'image/png', content: Buffer.from(message) } } });
    return;
  }
  if (kind === 'CONFIRMATION') {
    send({ kind: 'result', result: { fault: message } });
    return;
  }
  if (kind === 'FA3') {
    send({ kind: 'result', result: { faults: [], sellerNip: '', kind: '', number: message, issueDate: '' } });
    return;
  }
  const failure = { reason: 'NO_INVOICE', message, missingFields: [], reading: null } as const;
  send({ kind: 'result', result: { outcome: { failure }, validation: null } });
}

function send(message: FromChild): void {
  process.send?.(message);
}
