import { randomUUID } from 'node:crypto';
import type { Answer } from '../call.js';

export function problem(status: number, title: string, detail: string): Answer {
  return {
    status,
    body: { Type: null, Title: title, Status: status, Detail: detail, Instance: randomUUID(), Extensions: {} },
  };
}

export function invalid(number: number, type: string, message: string): Answer {
  return { status: 400, body: { ErrorNumber: number, Type: type, Message: message, Elements: [] } };
}
