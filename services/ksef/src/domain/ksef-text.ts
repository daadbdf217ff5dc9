import { cleanLine } from '@invoicecontrol/values/readable-text';

/** Maximum length of a text from KSeF in characters. Longer texts are cut. */
const TEXT_MAX = 1_000;

/**
 * Makes a message from KSeF safe to show: it is shortened to one line, without NIPs, addresses, bearer tokens and KSeF
 * tokens.
 */
export function safeText(text: string): string {
  return plainText(text)
    .replace(/(?<!\S)[^\s|]*\|[^\s|]*\|\S*/g, '…')
    .replace(/(?<![\w.-])[\w.-]*eyJ[\w.-]+/g, '…')
    .replace(/\b[0-9a-f]{64}\b/gi, '…')
    .replace(/\bhttps?:\/\/\S+/gi, '…')
    .replace(/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, '…')
    .replace(/(?<!\d)\d{6}(\d{4})(?!\d)/g, '******$1');
}

/** Shortens a message from KSeF to one readable line. */
export function plainText(text: string): string {
  return cleanLine(text, TEXT_MAX);
}
