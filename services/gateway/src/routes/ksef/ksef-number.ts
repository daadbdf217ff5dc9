import type { ChannelOrigin } from '@invoicecontrol/contracts/documents/v1/upload_service';

/** Returns the KSeF number of a document that was received from KSeF, otherwise undefined. */
export function ksefNumberOf(origin: ChannelOrigin | undefined): string | undefined {
  return origin?.channel === 'KSEF' ? origin.externalId : undefined;
}
