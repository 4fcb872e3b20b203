/** Messages, folders and attachments of the stand-in mailbox. */
import { createHash } from 'node:crypto';
import type { Address } from '../model.ts';

/** Folders that every mailbox has, by the name that requests may use instead of the id. */
export const WELL_KNOWN: Readonly<Record<string, string>> = {
  inbox: 'Inbox',
  drafts: 'Drafts',
  sentitems: 'Sent Items',
  deleteditems: 'Deleted Items',
  archive: 'Archive',
  junkemail: 'Junk Email',
};

export interface MailFolder {
  id: string;
  displayName: string;
  /** Id of the folder it is in; that of the root for those at the top. */
  parentId: string;
}

export interface Attachment {
  id: string;
  name: string;
  contentType: string;
  isInline: boolean;
  /** Base64. */
  contentBytes: string;
}

export interface Message {
  id: string;
  version: number;
  folderId: string;
  conversationId: string;
  subject: string;
  body: { contentType: 'text' | 'html'; content: string };
  from: Address;
  to: readonly Address[];
  cc: readonly Address[];
  bcc: readonly Address[];
  replyTo: readonly Address[];
  /** Unix milliseconds; for a draft when it was made. */
  receivedAt: number;
  isDraft: boolean;
  isRead: boolean;
  importance: 'low' | 'normal' | 'high';
  categories: readonly string[];
  flag: 'notFlagged' | 'flagged' | 'complete';
  inference: 'focused' | 'other';
  attachments: readonly Attachment[];
}

/** The members of a message that a request can set. */
export type MessageChange = Partial<
  Omit<Message, 'id' | 'version' | 'folderId' | 'conversationId' | 'receivedAt' | 'isDraft' | 'from'>
>;

/** Long and opaque, with characters that a path has to escape. The same key gives the same id. */
export function mailId(key: string): string {
  const bytes = createHash('sha512').update(`mail:${key}`).digest();
  return `AAMkAGI2TG9/${bytes.toString('base64')}`;
}
