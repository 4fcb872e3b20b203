/** The mail of one person: folders, messages, and what becomes of a message that is sent, moved or deleted. */
import type { Clock } from '../../../src/core/clock.ts';
import type { Member } from '../../oauth/provider.ts';
import type { Address } from '../model.ts';
import { badRequest, itemNotFound, MailRefusal } from '../refusal.ts';
import {
  mailId,
  WELL_KNOWN,
  type Attachment,
  type MailFolder,
  type Message,
  type MessageChange,
} from './model.ts';

/** Most recipients of one message. */
const MAX_RECIPIENTS = 500;

/** Puts a message into the inboxes of those recipients who have a mailbox here. */
export type Delivery = (message: Message) => void;

/** One person's mail. */
export class Mailbox {
  readonly owner: Member;
  /** Id of the folder that holds those at the top. */
  readonly root: string;
  readonly #clock: Clock;
  readonly #deliver: Delivery;
  readonly #folders = new Map<string, MailFolder>();
  readonly #messages = new Map<string, Message>();
  #made = 0;

  constructor(owner: Member, clock: Clock, deliver: Delivery) {
    this.owner = owner;
    this.#clock = clock;
    this.#deliver = deliver;
    this.root = mailId(`${owner.id}:root`);
    for (const [name, displayName] of Object.entries(WELL_KNOWN)) {
      const id = mailId(`${owner.id}:${name}`);
      this.#folders.set(id, { id, displayName, parentId: this.root });
    }
  }

  get ownAddress(): Address {
    return { address: this.owner.email, name: this.owner.name };
  }

  /** Folders in another one, in the order of their making. */
  foldersIn(parentId: string): MailFolder[] {
    return [...this.#folders.values()].filter((folder) => folder.parentId === parentId);
  }

  /** @param name id, or name of a well-known folder. @throws MailRefusal 404 */
  folder(name: string): MailFolder {
    const id = Object.hasOwn(WELL_KNOWN, name.toLowerCase())
      ? mailId(`${this.owner.id}:${name.toLowerCase()}`)
      : name;
    const folder = this.#folders.get(id);
    if (folder === undefined) throw itemNotFound();
    return folder;
  }

  /** @throws MailRefusal 409 for a name that is taken there */
  addFolder(displayName: string, parentId: string): MailFolder {
    if (this.foldersIn(parentId).some((folder) => folder.displayName === displayName))
      throw new MailRefusal(409, 'ErrorFolderExists', 'A folder with the specified name already exists.');
    const folder = { id: mailId(this.#nextKey()), displayName, parentId };
    this.#folders.set(folder.id, folder);
    return folder;
  }

  /** @throws MailRefusal 404 */
  renameFolder(id: string, displayName: string): MailFolder {
    const folder = { ...this.folder(id), displayName };
    this.#folders.set(folder.id, folder);
    return folder;
  }

  /** Removes a folder with everything in it. @throws MailRefusal 404; 400 for a folder that every mailbox has */
  removeFolder(name: string): void {
    const { id } = this.folder(name);
    if (Object.keys(WELL_KNOWN).some((known) => this.folder(known).id === id))
      throw badRequest('Distinguished folders cannot be deleted.', 'ErrorDeleteDistinguishedFolder');
    for (const child of this.foldersIn(id)) this.removeFolder(child.id);
    for (const message of this.messagesIn(id)) this.#messages.delete(message.id);
    this.#folders.delete(id);
  }

  /** Newest first. @param folderId every folder if absent */
  messagesIn(folderId?: string): Message[] {
    return [...this.#messages.values()]
      .filter((message) => folderId === undefined || message.folderId === folderId)
      .toSorted((one, other) => other.receivedAt - one.receivedAt);
  }

  /** @throws MailRefusal 404 */
  message(id: string): Message {
    const message = this.#messages.get(id);
    if (message === undefined) throw itemNotFound();
    return message;
  }

  /** Adds a new message to a folder. It is sent to nobody. @param more members that a new draft does not have */
  add(folder: string, change: MessageChange, more: Partial<Message> = {}): Message {
    const key = this.#nextKey();
    const message: Message = {
      id: mailId(key),
      version: 1,
      folderId: this.folder(folder).id,
      conversationId: Buffer.from(`conversation:${key}`).toString('base64'),
      subject: '',
      body: { contentType: 'text', content: '' },
      from: this.ownAddress,
      to: [],
      cc: [],
      bcc: [],
      replyTo: [],
      receivedAt: this.#clock.now(),
      isDraft: true,
      isRead: true,
      importance: 'normal',
      categories: [],
      flag: 'notFlagged',
      inference: 'focused',
      attachments: [],
      ...change,
      ...more,
    };
    this.#messages.set(message.id, message);
    return message;
  }

  /** @throws MailRefusal 404; 400 for a member that only drafts can change */
  change(id: string, change: MessageChange): Message {
    const message = this.message(id);
    const fixed = (['subject', 'body', 'replyTo'] as const).find((member) => change[member] !== undefined);
    if (!message.isDraft && fixed !== undefined)
      throw badRequest(`${fixed} can only be changed in a draft.`, 'ErrorInvalidPropertySet');
    return this.#keep({ ...message, ...change });
  }

  /** @throws MailRefusal 404; 400 for a message that is no draft */
  attach(id: string, attachment: Omit<Attachment, 'id'>): Attachment {
    const message = this.message(id);
    if (!message.isDraft)
      throw badRequest('Attachments can only be added to a draft.', 'ErrorInvalidOperation');
    const added = { id: mailId(this.#nextKey()), ...attachment };
    this.#keep({ ...message, attachments: [...message.attachments, added] });
    return added;
  }

  /** Moves a message: it gets another id, and the old one is gone. @throws MailRefusal 404 */
  move(id: string, folder: string): Message {
    const message = this.message(id);
    const moved = { ...message, id: mailId(this.#nextKey()), folderId: this.folder(folder).id };
    this.#messages.delete(id);
    this.#messages.set(moved.id, moved);
    return moved;
  }

  /** Moves a message to the deleted ones; from there it is removed. @throws MailRefusal 404 */
  remove(id: string): void {
    const { folderId } = this.message(id);
    if (folderId === this.folder('deleteditems').id) this.#messages.delete(id);
    else this.move(id, 'deleteditems');
  }

  /** Sends a draft: it goes to the sent ones under another id. @throws MailRefusal 404; 400 without valid recipients */
  sendDraft(id: string): void {
    const draft = this.message(id);
    if (!draft.isDraft) throw badRequest('The item is not a draft.', 'ErrorInvalidOperation');
    this.#send(draft);
    this.#messages.delete(id);
  }

  /** Sends a message that is no draft yet. @param isKept among the sent ones. @throws MailRefusal 400 */
  send(
    change: MessageChange,
    { isKept = true, conversationId }: { isKept?: boolean; conversationId?: string } = {},
  ): void {
    const draft = this.add('drafts', change, conversationId === undefined ? {} : { conversationId });
    this.#messages.delete(draft.id);
    const sent = this.#send(draft);
    if (!isKept) this.#messages.delete(sent.id);
  }

  #send(draft: Message): Message {
    const recipients = [...draft.to, ...draft.cc, ...draft.bcc];
    const isWrong = ({ address }: Address): boolean => !/^[^\s@]+@[^\s@]+$/.test(address);
    if (recipients.length === 0 || recipients.length > MAX_RECIPIENTS || recipients.some(isWrong))
      throw badRequest(
        "At least one recipient isn't valid., A message can't be sent because it contains no recipients.",
        'ErrorInvalidRecipients',
      );
    const { id: _, ...rest } = draft;
    const sent = this.add('sentitems', rest, {
      ...rest,
      folderId: this.folder('sentitems').id,
      isDraft: false,
      receivedAt: this.#clock.now(),
    });
    this.#deliver(sent);
    return sent;
  }

  #keep(message: Message): Message {
    const kept = { ...message, version: message.version + 1 };
    this.#messages.set(kept.id, kept);
    return kept;
  }

  #nextKey(): string {
    this.#made += 1;
    return `${this.owner.id}:${this.#made}`;
  }
}
