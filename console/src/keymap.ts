/** The effect of each key on the page of findings. The table drives the handler, the hints on buttons and the help. */
export const keymap = {
  j: 'next',
  k: 'previous',
  c: 'CONFIRMED',
  f: 'FALSE_POSITIVE',
  x: 'ACCEPTED_RISK',
  r: 'RESOLVED',
  u: 'UNDER_REVIEW',
  o: 'OPEN',
  a: 'assign',
  m: 'assignToMe',
  s: 'select',
  z: 'undo',
  Escape: 'back',
  '?': 'help',
} as const;

export type Command = (typeof keymap)[keyof typeof keymap];

/** The key of each command on the page of findings, as hints show it. */
export const keyOf = Object.fromEntries(
  Object.entries(keymap).map(([key, command]) => [command, key === 'Escape' ? 'Esc' : key]),
) as Readonly<Record<Command, string>>;

interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/**
 * Returns what a pressed key does on the page of findings.
 * @param isTyping true in a field or a dialog, where keys write text or belong to the dialog
 */
export function commandOf({ key, ctrlKey, metaKey, altKey }: PressedKey, isTyping: boolean): Command | undefined {
  if (isTyping || ctrlKey || metaKey || altKey) return undefined;
  return Object.hasOwn(keymap, key) ? keymap[key as keyof typeof keymap] : undefined;
}
