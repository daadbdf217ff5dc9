import { useQuery } from '@tanstack/react-query';
import { client } from './client.js';
import type { Assignee } from './client.js';
import { readPerson, shortId, tellApart } from './format/person.js';
import { showInvisible } from './format/visible-text.js';
import { messages } from './messages/messages.js';
import { may, rights } from './rights.js';
import { useCaller } from './session.js';

/** Number of people that one request reads, the largest page of the API. */
const PAGE_SIZE = 100;

/**
 * Reads the people to whom a finding can be assigned, sorted by name. Nothing is read for a person who may not assign.
 */
export function useAssignees() {
  const isAllowed = may(useCaller(), rights.assignFindings);
  return useQuery({
    queryKey: ['assignees'],
    async queryFn({ signal }): Promise<readonly Assignee[]> {
      const found: Assignee[] = [];
      for await (const assignee of client.items('/assignees', { query: { limit: PAGE_SIZE }, signal }))
        found.push({ ...assignee, name: showInvisible(assignee.name) });
      return tellApart(found).toSorted((left, right) => left.name.localeCompare(right.name));
    },
    enabled: isAllowed,
    staleTime: 5 * 60_000,
  });
}

/**
 * Returns the names of people and API keys that the API states as texts such as `USER:<id>`, and checks whether such a
 * text means the signed-in person.
 */
export interface People {
  isMe(person: string): boolean;
  /**
   * Returns the name of a person or API key that the API states as a text such as `USER:<id>`.
   * @param known name that the API states with it, if any
   */
  nameOf(person: string, known?: string | null): string;
}

export function usePeople(): People {
  const { user, key } = useCaller();
  const { data: assignees } = useAssignees();
  const me = { userId: user?.id, keyId: key.id };
  return {
    isMe: (text) => readPerson(text, me).kind === 'you',
    nameOf(text, known) {
      const { kind, id } = readPerson(text, me);
      if (kind === 'you') return messages.person.you;
      if (typeof known === 'string') return showInvisible(known);
      const assignee = kind === 'member' ? assignees?.find(({ userId }) => userId === id) : undefined;
      return assignee?.name ?? messages.person[kind](shortId(id));
    },
  };
}
