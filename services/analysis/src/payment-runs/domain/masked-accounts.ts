import { readBankAccount } from '@invoicecontrol/values/bank-account';
import { readPrintedIban } from '@invoicecontrol/values/printed-account';

/**
 * Words in a text that may be a bank account: letters and digits with spaces between groups, as people write an IBAN.
 */
const MAYBE_ACCOUNT = /\b(?:[A-Z]{2}\d{2}(?: ?[0-9A-Z]{2,4}){3,8}|\d{26})\b/gi;

/** Replaces the bank accounts in a text by their masked form. Other numbers in the text are not changed. */
export function maskedAccounts(text: string): string {
  return text.replace(MAYBE_ACCOUNT, (printed) => {
    for (let words = printed.split(' '); words.length > 0; words = words.slice(0, -1)) {
      const read = readPrintedIban(words.join(''));
      if (read.kind !== 'IBAN') continue;
      const { masked } = readBankAccount({ iban: read.iban });
      return masked + printed.slice(words.join(' ').length);
    }
    return printed;
  });
}
