import type { PaymentFile, PaymentTransaction } from '@invoicecontrol/payment-files/payment-file';
import { readBankAccount } from '@invoicecontrol/values/bank-account';
import type { CreditorAccount, PaymentLine } from '../domain/payment-line.js';

/** Payment method of a cheque in a payment file. A cheque has no account. */
const CHEQUE = 'CHK';

/** Returns the payments of a file as lines of a payment run. */
export function linesOfFile({ transactions, blocks }: PaymentFile): readonly PaymentLine[] {
  return transactions.map((transaction): PaymentLine => {
    const { lineId, position, block, amount, currency, equivalent, creditorName, proxy } = transaction;
    const account = accountOf(transaction);
    const executionDate = blocks[block]?.executionDate;
    const { endToEndId, instructionId, creditorReference } = transaction;
    return {
      lineId,
      position,
      ...(endToEndId === undefined ? {} : { endToEndId }),
      ...(instructionId === undefined ? {} : { instructionId }),
      amount,
      currency,
      ...(equivalent === undefined ? {} : { equivalent }),
      ...(creditorName === undefined ? {} : { creditorName }),
      ...(account === undefined ? {} : { creditorAccount: account }),
      creditorTaxIds: transaction.creditorTaxIds,
      ...(proxy === undefined ? {} : { proxy }),
      ...(executionDate === undefined ? {} : { executionDate }),
      documents: transaction.documents.flatMap(({ number, amount: paid }) =>
        number === undefined ? [] : [{ number, ...(paid === undefined ? {} : { amount: paid }) }],
      ),
      ...(creditorReference === undefined ? {} : { creditorReference }),
      texts: transaction.remittance,
    };
  });
}

function accountOf({
  creditorBankAccount,
  creditorAccount,
  paymentMethod,
}: PaymentTransaction): CreditorAccount | undefined {
  if (paymentMethod === CHEQUE) return undefined;
  if (creditorBankAccount !== undefined) {
    const { key, masked } = readBankAccount(creditorBankAccount);
    return { key, masked };
  }
  const other = creditorAccount?.other;
  return other === undefined ? undefined : otherAccount(other);
}

/** Number of characters that a masked bank account shows at its end. */
const SHOWN_TAIL_LENGTH = 4;

function otherAccount(printed: string): CreditorAccount {
  const compact = printed.toUpperCase().replace(/[^A-Z0-9]/g, '');
  return { key: `O:${compact}`, masked: `****${compact.slice(-SHOWN_TAIL_LENGTH)}` };
}
