import type { Secretbox } from '@invoicecontrol/secretbox/secretbox';
import type { SealedValue } from '../domain/connection.js';

type FlowField = 'codeVerifier' | 'tokens';

interface FlowPlace {
  readonly id: string;
  readonly organizationId: string;
}

/** Seals and opens the secrets of flows, which live for minutes. */
export interface FlowSecrets {
  seal(flow: FlowPlace, field: FlowField, value: string): SealedValue;
  open(flow: FlowPlace, field: FlowField, value: SealedValue): string;
}

export function flowSecrets(box: Secretbox): FlowSecrets {
  const placeOf = ({ id, organizationId }: FlowPlace, field: FlowField) => ({
    organizationId,
    collection: 'oauth_flows',
    recordId: id,
    field,
  });
  return {
    seal: (flow, field, value) => ({ sealed: box.seal(value, placeOf(flow, field)), keyId: box.keyId }),
    open: (flow, field, { sealed }) => box.open(sealed, placeOf(flow, field)),
  };
}
