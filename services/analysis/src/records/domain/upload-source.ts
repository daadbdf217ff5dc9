import type { InvoiceSource } from '@invoicecontrol/engine/facts/invoice';
import type { ChannelOrigin } from '@invoicecontrol/values/channel-origin';

/**
 * Returns the source of an invoice that was read from a document.
 * @param origin undefined for an upload by a caller
 */
export function sourceOf(origin: ChannelOrigin | undefined): InvoiceSource {
  return origin?.channel ?? 'UPLOAD';
}
