/**
 * States whether the account number in a Swedish IBAN contains the clearing number followed by seven digits, or leaves
 * the clearing number out.
 */
type Method = 'WITH_CLEARING' | 'WITHOUT_CLEARING';

interface ClearingRange {
  readonly from: number;
  readonly to: number;
  readonly bankId: string;
  readonly method: Method;
}

/**
 * Maps each range of clearing numbers to the bank identifier in an IBAN, as the Swedish banks publish it. Private
 * accounts of Nordea (3300 and 3782) are left out, because payers write their numbers with and without the clearing
 * number. Banks that no longer exist are left out too.
 */
const ranges: readonly ClearingRange[] = [
  ...withClearing('120', '1200-1399 2400-2499'),
  ...withClearing('230', '2300-2399'),
  ...withClearing('300', '1100-1199 1400-2099 3000-3299 3301-3399 3410-3781 3783-3999 4000-4999'),
  ...withClearing('500', '5000-5999 9120-9124 9130-9149'),
  ...withoutClearing('600', '6000-6999'),
  ...withClearing('800', '7000-7999'),
  ...withClearing('902', '3400-3409 9020-9029 9060-9069'),
  ...['904', '910', '917', '919', '923', '925', '927', '928', '939', '947', '958', '959', '963', '964', '966'].flatMap(
    ten,
  ),
  ...['967', '968', '970', '971', '975', '978'].flatMap(ten),
  ...withClearing('915', '9150-9169'),
  ...withoutClearing('950', '9500-9549 9960-9969'),
  ...withClearing('955', '9550-9569'),
  ...withoutClearing('957', '9570-9579'),
];

const ACCOUNT_DIGITS = 17;
const SWEDBANK = '800';

/**
 * Converts a Swedish account, given as clearing number and account number, to the BBAN in its IBAN. Returns undefined
 * if the clearing number is unknown, or if the account is of Swedbank and its clearing number may have four or five
 * digits.
 */
export function swedishBban(digits: string): string | undefined {
  if (!/^[0-9]{8,15}$/.test(digits)) return undefined;
  const clearing = Number(digits.slice(0, 4));
  if (clearing >= 8000 && clearing <= 8999) return swedbankBban(digits);
  const range = ranges.find(({ from, to }) => clearing >= from && clearing <= to);
  const account = digits.slice(4);
  if (range === undefined) return undefined;
  if (range.method === 'WITHOUT_CLEARING') return account.length > 10 ? undefined : bban(range.bankId, account);
  return account.length > 7 ? undefined : bban(range.bankId, digits.slice(0, 4) + account.padStart(7, '0'));
}

/**
 * Returns the BBAN of an account of Swedbank with a clearing number from 8000. Such clearing numbers have a fifth
 * digit, a check digit that many leave out and that is not part of the IBAN. The account number has up to ten digits.
 */
function swedbankBban(digits: string): string | undefined {
  const hasFifth = passesLuhn(digits.slice(0, 5));
  if (digits.length === 15) return hasFifth ? bban(SWEDBANK, digits.slice(0, 4) + digits.slice(5)) : undefined;
  return hasFifth ? undefined : bban(SWEDBANK, digits.slice(0, 4) + digits.slice(4).padStart(10, '0'));
}

function bban(bankId: string, account: string): string {
  return bankId + account.padStart(ACCOUNT_DIGITS, '0');
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (const [index, digit] of [...digits].toReversed().entries()) {
    const weighted = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

function withClearing(bankId: string, list: string): readonly ClearingRange[] {
  return toRanges(bankId, list, 'WITH_CLEARING');
}

function withoutClearing(bankId: string, list: string): readonly ClearingRange[] {
  return toRanges(bankId, list, 'WITHOUT_CLEARING');
}

/** Returns the ten clearing numbers that begin with the identifier of the bank. */
function ten(bankId: string): readonly ClearingRange[] {
  return withClearing(bankId, `${bankId}0-${bankId}9`);
}

function toRanges(bankId: string, list: string, method: Method): readonly ClearingRange[] {
  return list.split(' ').map((range) => {
    const [from = '', to = ''] = range.split('-');
    return { from: Number(from), to: Number(to), bankId, method };
  });
}
