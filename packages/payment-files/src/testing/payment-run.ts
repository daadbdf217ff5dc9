import { microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';

/** One payment of a payment run that is generated for tests. */
export interface RunLine {
  readonly amount: DecimalAmount;
  readonly currency?: string;
  readonly name: string;
  /** Bank account of a generated payment: IBAN, or another number with its scheme. */
  readonly account?: string | { readonly other: string; readonly scheme: string };
  readonly bic?: string;
  readonly endToEndId?: string;
  readonly instructionId?: string;
  readonly texts?: readonly string[];
}

/** The form of a payment run that is generated for tests. */
export interface RunStyle {
  readonly version?: string;
  readonly messageId?: string;
  /** Name of the encoding in the XML declaration of the generated payment file, or null for none. */
  readonly encoding?: string | null;
  /** Prefix of the XML namespace in the generated payment file, such as `p:`. */
  readonly prefix?: string;
  /** White space between elements of the generated payment file. */
  readonly space?: string;
  /** Number of transactions in a block of the generated payment file. */
  readonly blockSize?: number;
  readonly executionDate?: string;
  readonly debtorName?: string;
  readonly debtorIban?: string;
  /** False if the blocks of the generated payment file do not state NbOfTxs and CtrlSum. */
  readonly blockTotals?: boolean;
}

/** Returns the text of a generated payment run in pain.001. The caller encodes it. */
export function paymentRunText(lines: readonly RunLine[], style: RunStyle = {}): string {
  const { version = 'pain.001.001.09', prefix = '', space = '\n', encoding = 'UTF-8', blockSize = 100 } = style;
  const tag = (name: string, content: string, attribute = '') =>
    `<${prefix}${name}${attribute}>${content}</${prefix}${name}>`;
  const group = (name: string, parts: readonly string[]) =>
    tag(name, `${space}${parts.filter((part) => part !== '').join(space)}${space}`);
  const value = (name: string, text: string | undefined) => (text === undefined ? '' : tag(name, escapeText(text)));
  const totals = (part: readonly RunLine[]) => [
    tag('NbOfTxs', String(part.length)),
    tag('CtrlSum', microToDecimal(part.reduce((sum, { amount }) => sum + toMicro(amount), 0n))),
  ];
  const bic = version.endsWith('.03') ? 'BIC' : 'BICFI';

  const transaction = (line: RunLine) =>
    group('CdtTrfTxInf', [
      group('PmtId', [value('InstrId', line.instructionId), value('EndToEndId', line.endToEndId ?? 'NOTPROVIDED')]),
      group('Amt', [tag('InstdAmt', line.amount, ` Ccy="${line.currency ?? 'EUR'}"`)]),
      line.bic === undefined ? '' : group('CdtrAgt', [group('FinInstnId', [value(bic, line.bic)])]),
      group('Cdtr', [value('Nm', line.name)]),
      account(line.account),
      line.texts === undefined
        ? ''
        : group(
            'RmtInf',
            line.texts.map((text) => value('Ustrd', text)),
          ),
    ]);
  const account = (stated: RunLine['account']) => {
    if (stated === undefined) return '';
    if (typeof stated === 'string') return group('CdtrAcct', [group('Id', [value('IBAN', stated)])]);
    const scheme = group('SchmeNm', [value('Cd', stated.scheme)]);
    return group('CdtrAcct', [group('Id', [group('Othr', [value('Id', stated.other), scheme])])]);
  };
  const day = value('Dt', style.executionDate ?? '2026-12-01');
  const block = (part: readonly RunLine[], index: number) =>
    group('PmtInf', [
      value('PmtInfId', `${style.messageId ?? 'RUN'}-B${index + 1}`),
      value('PmtMtd', 'TRF'),
      ...(style.blockTotals === false ? [] : totals(part)),
      version.endsWith('.03') ? value('ReqdExctnDt', style.executionDate ?? '2026-12-01') : group('ReqdExctnDt', [day]),
      group('Dbtr', [value('Nm', style.debtorName ?? 'Beispiel Handels GmbH')]),
      group('DbtrAcct', [group('Id', [value('IBAN', style.debtorIban ?? 'DE89370400440532013000')])]),
      group('DbtrAgt', [group('FinInstnId', [group('Othr', [value('Id', 'NOTPROVIDED')])])]),
      ...part.map(transaction),
    ]);

  const blocks: string[] = [];
  for (let from = 0; from < lines.length; from += blockSize) {
    blocks.push(block(lines.slice(from, from + blockSize), blocks.length));
  }
  const header = group('GrpHdr', [
    value('MsgId', style.messageId ?? 'RUN'),
    value('CreDtTm', '2026-11-29T09:00:00'),
    ...totals(lines),
    group('InitgPty', [value('Nm', style.debtorName ?? 'Beispiel Handels GmbH')]),
  ]);
  const namespace = `xmlns${prefix === '' ? '' : `:${prefix.slice(0, -1)}`}="urn:iso:std:iso:20022:tech:xsd:${version}"`;
  const declaration = encoding === null ? '' : `<?xml version="1.0" encoding="${encoding}"?>\n`;
  const initiation = group('CstmrCdtTrfInitn', [header, ...blocks]);
  return `${declaration}<${prefix}Document ${namespace}>${space}${initiation}${space}</${prefix}Document>\n`;
}

/**
 * Returns payments for a payment run of a given size, such as one for a benchmark. The generated lines are the same in
 * every run.
 */
export function runLines(count: number): readonly RunLine[] {
  const accounts = [
    'DE75512108001245126199',
    'FR7630006000011234567890189',
    'NL91ABNA0417164300',
    'PL61109010140000071219812874',
  ];
  return Array.from({ length: count }, (_, index) => ({
    amount: `${100 + ((index * 37) % 9_000)}.${String((index * 13) % 100).padStart(2, '0')}`,
    name: `Lieferant ${(index % 400) + 1} GmbH`,
    account: accounts[index % accounts.length] ?? '',
    endToEndId: `E2E-${index + 1}`,
    instructionId: `I-${index + 1}`,
    texts: [`Rechnung RE-2026-${String(index + 1).padStart(5, '0')} vom 02.11.2026`],
  }));
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
