import { entriesOf, isGroup } from '@invoicecontrol/invoice/declaration';
import type { Group, Members } from '@invoicecontrol/invoice/declaration';
import type { RecordKind } from './kinds.js';

/** A record, or a part of one, with what is special when it is taken over from an ERP. */
export interface RecordGroup extends Group {
  readonly taken?: Pick<Group, 'rule' | 'normalise'>;
}

/** The record as it is taken over: made readable, rounded, and refused in sentences to people. */
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
