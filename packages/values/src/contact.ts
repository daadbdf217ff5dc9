/** The parts of a supplier contact (phone number, address) by which it is recognised in another text. */
interface ContactMarks {
  /** Digits of phone numbers, without the prefix of international calls and without leading zeros. */
  readonly phones: readonly string[];
  readonly emails: readonly string[];
  readonly hosts: readonly string[];
  /**
   * Letters and digits of a contact that is neither a phone number nor an e-mail address or host, such as a postal
   * address.
   */
  readonly words: string;
}

/** Minimum number of digits of a phone number. A shorter number is part of an address. */
const PHONE_DIGITS_MIN = 7;
const PHONE_DIGITS_MAX = 15;
/** Maximum number of additional digits in one spelling of a phone number: the digits of the country and area codes. */
const PREFIX_DIGITS_MAX = 5;
/** Maximum number of groups of digits in a phone number of a supplier contact. */
const GROUPS_MAX = 10;
/** Minimum number of letters and digits of a postal address. A shorter text would be found by chance. */
const WORDS_LENGTH_MIN = 8;

const EMAILS = /[a-z0-9._%+-]{1,64}@[a-z0-9.-]{1,190}/gu;
const HOSTS = /[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}/gu;
/** Digits of a phone number with the characters that people write between them. */
const RUNS = /[\d+][\d+ ()./\u2010-\u2015-]{5,40}/gu;

/**
 * Checks whether one of the texts contains a contact. A phone number is found in any spelling. An e-mail address must
 * be the same, and so must a host. For any other contact, such as a postal address, the letters and digits must be the
 * same. If a contact has several numbers or addresses, one of them is enough.
 */
export function carriesContact(texts: readonly string[], contact: string): boolean {
  const marks = readMarks(contact);
  const read = texts.map(plain);
  return (
    read.some((text) => isMarkIn(text, marks)) ||
    // The searched texts are joined, because a postal address is printed in several lines.
    (marks.words.length >= WORDS_LENGTH_MIN && read.map(wordsOf).join('').includes(marks.words))
  );
}

function readMarks(contact: string): ContactMarks {
  const text = plain(contact);
  const emails = (text.match(EMAILS) ?? []).map(withoutDots);
  const rest = text.replace(EMAILS, ' ');
  const hosts = (rest.match(HOSTS) ?? []).filter(isHost).map(withoutWww);
  const phones = phonesIn(rest.replace(HOSTS, (found) => (isHost(found) ? ' ' : found)));
  const isMarked = emails.length + hosts.length + phones.length > 0;
  return { emails, hosts, phones: phones.map(bare), words: isMarked ? '' : wordsOf(text) };
}

function isMarkIn(text: string, { phones, emails, hosts }: ContactMarks): boolean {
  return (
    emails.some((email) => (text.match(EMAILS) ?? []).some((found) => withoutDots(found) === email)) ||
    hosts.some((host) => isHostIn(text, host)) ||
    (phones.length > 0 && hasPhone(text, phones))
  );
}

/**
 * Checks whether a text contains the host of a contact, a subdomain of this host, or an e-mail address at this host.
 */
function isHostIn(text: string, host: string): boolean {
  return (text.match(HOSTS) ?? []).some((found) => {
    const name = withoutDots(found);
    return name === host || name.endsWith(`.${host}`);
  });
}

function hasPhone(text: string, phones: readonly string[]): boolean {
  return runsIn(text).some((groups) =>
    groups.some((_, first) =>
      groups.slice(first, first + GROUPS_MAX).some((_group, count) => {
        const digits = groups.slice(first, first + count + 1).join('');
        return phones.some((phone) => isSamePhone(phone, bare(digits)));
      }),
    ),
  );
}

function isSamePhone(left: string, right: string): boolean {
  const [short, long] = left.length <= right.length ? [left, right] : [right, left];
  return short.length >= PHONE_DIGITS_MIN && long.length - short.length <= PREFIX_DIGITS_MAX && long.endsWith(short);
}

/** Returns the complete phone numbers in a contact. People write no other numbers next to them. */
function phonesIn(text: string): string[] {
  return runsIn(text)
    .map((groups) => groups.join(''))
    .filter((digits) => digits.length >= PHONE_DIGITS_MIN && digits.length <= PHONE_DIGITS_MAX);
}

/**
 * Returns each run of digits of a phone number as its groups. The zero in `+49 (0)40` is dialled only within the
 * country.
 */
function runsIn(text: string): string[][] {
  return (text.replaceAll('(0)', ' ').match(RUNS) ?? []).map((run) => run.match(/\d+/gu) ?? []);
}

function bare(digits: string): string {
  return digits.replace(/^0+/u, '');
}

function isHost(text: string): boolean {
  // The last part of a host name has letters, unlike a date or an amount.
  return /\.[a-z][a-z0-9-]*$/u.test(text);
}

function withoutWww(host: string): string {
  return withoutDots(host).replace(/^www\./u, '');
}

function withoutDots(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '.') end -= 1;
  return text.slice(0, end);
}

function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/\s/gu, ' ');
}

function wordsOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}
