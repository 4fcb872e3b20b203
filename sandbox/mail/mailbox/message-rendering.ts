/** Writes messages, folders and attachments as the provider does. Pure. */
import type { Address } from '../model.ts';
import { renderBody, textOf, type Preferences, type Rendered } from '../rendering.ts';
import type { Mailbox } from './mailbox.ts';
import type { Attachment, MailFolder, Message } from './model.ts';

const PREVIEW_CHARACTERS = 255;

/** Returns the whole message. */
export function renderMessage(message: Message, preferences: Preferences): Rendered {
  const changeKey = Buffer.from(`${message.id.slice(-16)}:${message.version}`).toString('base64');
  const at = new Date(message.receivedAt).toISOString().replace(/\.\d+Z$/, 'Z');
  return {
    '@odata.etag': `W/"${changeKey}"`,
    id: message.id,
    createdDateTime: at,
    lastModifiedDateTime: at,
    changeKey,
    categories: message.categories,
    receivedDateTime: at,
    sentDateTime: at,
    hasAttachments: message.attachments.some(({ isInline }) => !isInline),
    internetMessageId: `<${Buffer.from(message.conversationId).toString('hex').slice(-24)}@northlight.example>`,
    subject: message.subject,
    bodyPreview: textOf(message.body).slice(0, PREVIEW_CHARACTERS),
    importance: message.importance,
    parentFolderId: message.folderId,
    conversationId: message.conversationId,
    isDeliveryReceiptRequested: false,
    isReadReceiptRequested: false,
    isRead: message.isRead,
    isDraft: message.isDraft,
    webLink: `https://outlook.office365.com/owa/?ItemID=${encodeURIComponent(message.id)}&exvsurl=1&viewmodel=ReadMessageItem`,
    inferenceClassification: message.inference,
    body: renderBody(message.body, preferences),
    sender: recipient(message.from),
    from: recipient(message.from),
    toRecipients: message.to.map(recipient),
    ccRecipients: message.cc.map(recipient),
    bccRecipients: message.bcc.map(recipient),
    replyTo: message.replyTo.map(recipient),
    flag: { flagStatus: message.flag },
  };
}

/** Returns a folder with what is in it. */
export function renderFolder(mailbox: Mailbox, { id, displayName, parentId }: MailFolder): Rendered {
  const messages = mailbox.messagesIn(id);
  return {
    id,
    displayName,
    parentFolderId: parentId,
    childFolderCount: mailbox.foldersIn(id).length,
    unreadItemCount: messages.filter(({ isRead }) => !isRead).length,
    totalItemCount: messages.length,
    isHidden: false,
  };
}

/** Returns an attachment with its content. */
export function renderAttachment(file: Attachment, { receivedAt }: Message): Rendered {
  return {
    '@odata.type': '#microsoft.graph.fileAttachment',
    '@odata.mediaContentType': file.contentType,
    id: file.id,
    lastModifiedDateTime: new Date(receivedAt).toISOString().replace(/\.\d+Z$/, 'Z'),
    name: file.name,
    contentType: file.contentType,
    size: Buffer.from(file.contentBytes, 'base64').length,
    isInline: file.isInline,
    contentId: null,
    contentLocation: null,
    contentBytes: file.contentBytes,
  };
}

function recipient({ address, name }: Address): object {
  return { emailAddress: { name, address } };
}
