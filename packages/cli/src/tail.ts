import { setTimeout as delay } from 'node:timers/promises';
import type { Client, Schemas } from '@invoicecontrol/client';
import type { Terminal } from './terminal.js';

type Invoice = Schemas['StoredInvoice'];

/**
 * Maximum number of pages of the invoice list that the command `tail` reads in one poll. If more invoices arrive at
 * once than these pages contain, `tail` prints only some of them, and says so.
 */
const PAGES_MAX = 10;
const PAGE_SIZE = 100;

interface TailOptions {
  /** Number of earlier decisions that the command `tail` prints first. */
  readonly last: number;
  /** Number of decisions on invoices after which the command `tail` ends. */
  readonly count: number;
  readonly pauseMs: number;
  readonly isJson: boolean;
}

/**
 * Prints each new decision about an invoice, the oldest first, until the signal is aborted or `count` decisions have
 * been printed. A decision that a review changed is printed again while its invoice is among the newest hundred.
 */
export async function tail(
  client: Client,
  { last, count, pauseMs, isJson }: TailOptions,
  { print, printError, signal }: Terminal,
): Promise<void> {
  /** The analysis of each invoice that the command `tail` has seen, but only for invoices on the newest pages. */
  let seen = new Map<string, string>();
  let printed = 0;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const { newest, isComplete } = await readNewest(client, seen, signal);
    const decided = newest.filter(({ decision }) => decision !== null);
    const fresh = decided.filter((invoice) => seen.get(invoice.id) !== nameOf(invoice));
    const shown = isFirst ? fresh.slice(0, last) : fresh;
    if (!isFirst && !isComplete)
      printError(`More than ${PAGES_MAX * PAGE_SIZE} decisions were made at once; the older ones are not printed.`);
    for (const invoice of shown.toReversed()) {
      print(isJson ? JSON.stringify(invoice) : lineOf(invoice));
      printed += 1;
      if (printed >= count) return;
    }
    seen = new Map(
      [...decided.map((invoice) => [invoice.id, nameOf(invoice)] as const), ...seen].slice(0, PAGES_MAX * PAGE_SIZE),
    );
    await delay(pauseMs, undefined, { signal }).catch(() => {});
  }
}

/** Reads the list of invoices until a page contains an invoice that was seen before. */
async function readNewest(
  client: Client,
  seen: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<{ newest: Invoice[]; isComplete: boolean }> {
  const newest: Invoice[] = [];
  let pages = 0;
  for await (const { items } of client.pages('/invoices', { query: { limit: PAGE_SIZE }, signal })) {
    newest.push(...items);
    pages += 1;
    if (seen.size === 0 || items.some(({ id }) => seen.has(id))) return { newest, isComplete: true };
    if (pages >= PAGES_MAX) return { newest, isComplete: false };
  }
  return { newest, isComplete: true };
}

function nameOf({ analysisId, decision }: Invoice): string {
  return `${analysisId ?? ''} ${decision ?? ''}`;
}

function lineOf({ createdAt, decision, riskScore, id, invoice }: Invoice): string {
  const {
    supplier,
    invoice_number: number,
    currency,
    gross_amount: amount,
  } = invoice as {
    supplier?: { name?: string };
    invoice_number?: string;
    currency?: string;
    gross_amount?: string;
  };
  const what = [supplier?.name, number, currency, amount].filter((part) => part !== undefined).join(' ');
  return `${createdAt}  ${(decision ?? '').padEnd(6)}  ${String(riskScore ?? '').padStart(3)}  ${id}  ${what}`;
}
