import { entriesOf, isGroup } from '@invoicecontrol/invoice/declaration';
import type { Group, Members } from '@invoicecontrol/invoice/declaration';
import type { RecordKind } from './kinds.js';

/** The declaration of an ERP record, or of a part of a record, with the rules for values that come from an ERP. */
export interface RecordGroup extends Group {
  readonly taken?: Pick<Group, 'rule' | 'normalise'>;
}

/**
 * Returns the declaration of a record with the rules for values that come from an ERP: texts are made readable, amounts
 * are rounded, and a refused value has a message for people.
 */
export function asTaken({ members, isOptional, description, taken }: RecordGroup): Group {
  const takenMembers: Members = Object.fromEntries(
    entriesOf({ members, isOptional, description }).map(({ name, member }) => [
      name,
      isGroup(member)
        ? asTaken(member)
        : { ...member, kind: (member.kind as RecordKind).taken(`The ${member.description ?? name}`) },
    ]),
  );
  return { members: takenMembers, isOptional, description, ...taken };
}
