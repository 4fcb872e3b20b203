/** Comments: threads under videos, and the replies to them. */
import { Hono } from 'hono';
import { z } from 'zod';
import { etagOf, listPage, pageOfFilter, withParts } from './answers.ts';
import {
  commaList,
  flag,
  needs,
  oneFilter,
  ownChannel,
  page,
  readBody,
  readQuery,
  refuseBeside,
  requireParts,
  type VideoEnv,
} from './exchange.ts';
import { isListed, type Library } from './library.ts';
import { timestamp, type Comment } from './model.ts';
import { badBody, badParameter, forbidden, notFound } from './refusal.ts';

const THREAD_PARTS = ['id', 'replies', 'snippet'];
const MAX_TEXT = 10_000;

/** Maximum replies shown with a thread; further ones are in the list of comments. */
const SHOWN_REPLIES = 5;

const threadQuery = z.strictObject({
  part: commaList,
  videoId: z.string().optional(),
  allThreadsRelatedToChannelId: z.string().optional(),
  id: commaList.optional(),
  order: z.enum(['time', 'relevance']).default('time'),
  searchTerms: z.string().optional(),
  moderationStatus: z.enum(['published', 'heldForReview', 'likelySpam']).default('published'),
  ...page(1, 100, 20),
});

const threadBody = z.strictObject({
  snippet: z.strictObject({
    channelId: z.string().optional(),
    videoId: z.string().optional(),
    topLevelComment: z.strictObject({ snippet: z.strictObject({ textOriginal: z.string().default('') }) }),
  }),
});

const commentQuery = z.strictObject({
  part: commaList,
  parentId: z.string().optional(),
  id: commaList.optional(),
  textFormat: z.enum(['html', 'plainText']).default('html'),
  ...page(1, 100, 20),
});

const replyBody = z.strictObject({
  snippet: z.strictObject({
    parentId: z.string().default(''),
    textOriginal: z.string().default(''),
  }),
});

const changeBody = z.strictObject({
  id: z.string(),
  snippet: z.strictObject({ textOriginal: z.string().default('') }),
});

const moderationQuery = z.strictObject({
  id: commaList,
  moderationStatus: z.enum(['published', 'heldForReview', 'rejected']),
  banAuthor: flag.default(false),
});

/** `/youtube/v3/commentThreads`, `/youtube/v3/comments` */
export function commentRoutes(library: Library): Hono<VideoEnv> {
  const routes = new Hono<VideoEnv>();

  routes.get('/youtube/v3/commentThreads', needs('comments', 1), (c) => {
    const query = readQuery(c, threadQuery);
    requireParts(query.part, THREAD_PARTS);
    const filter = oneFilter(query, ['videoId', 'allThreadsRelatedToChannelId', 'id']);
    if (filter === 'id')
      refuseBeside(c, 'id', ['maxResults', 'pageToken', 'order', 'searchTerms', 'moderationStatus']);
    const { videoId, allThreadsRelatedToChannelId: channelId, id: ids } = query;
    if (videoId !== undefined) requireComments(library, library.video(videoId, c.get('channel'), 'videoId'));
    if (channelId !== undefined) library.channel(channelId, 'allThreadsRelatedToChannelId');
    const isPublished = query.moderationStatus === 'published';
    const owner = channelId ?? library.videos.get(videoId ?? '')?.channelId;
    if (!isPublished && owner !== ownChannel(c).id)
      throw forbidden('commentThread', 'forbidden', 'Only the owner sees comments that are not published.');
    const words = (query.searchTerms ?? '').toLowerCase().split(/\s+/);
    const threads = library.threadsOf((comment) => {
      if (ids !== undefined) return ids.includes(comment.id);
      const video = library.videos.get(comment.videoId);
      const isThere =
        videoId === undefined
          ? video?.channelId === channelId && video !== undefined && isListed(video, c.get('channel'))
          : comment.videoId === videoId;
      const isMeant = isPublished ? comment.isHeld !== true : isHeldFor(comment, query.moderationStatus);
      return isThere && isMeant && words.every((word) => comment.text.toLowerCase().includes(word));
    });
    if (ids !== undefined && threads.length < ids.length) throw notFound('commentThread', 'id');
    if (query.order === 'relevance') threads.sort((one, other) => other.likes - one.likes);
    const render = (thread: Comment) => renderThread(library, thread, query.part);
    const list = { kind: 'commentThreadListResponse', items: threads, render };
    return c.json(listPage(list, pageOfFilter(filter, query, list.items.length), { onlyForward: true }));
  });

  routes.post('/youtube/v3/commentThreads', needs('comments', 50), async (c) => {
    const { part } = readQuery(c, z.strictObject({ part: commaList }));
    requireParts(part, THREAD_PARTS);
    const { snippet } = await readBody(c, threadBody);
    const { channelId, videoId } = snippet;
    if (videoId === undefined && channelId === undefined)
      throw badBody('commentThread', 'channelOrVideoIdMissing', 'The body names no channel and no video.');
    const text = requireText('commentThread', snippet.topLevelComment.snippet.textOriginal);
    const own = ownChannel(c);
    const video = library.video(videoId ?? '', own, 'videoId');
    requireComments(library, video);
    const id = library.newId('Ug', 24);
    const author = { authorChannelId: own.id, likes: 0, publishedAt: library.now() };
    const comment: Comment = { id, videoId: video.id, text, ...author };
    keep(library, comment);
    return c.json(renderThread(library, comment, part));
  });

  routes.get('/youtube/v3/comments', needs('comments', 1), (c) => {
    const query = readQuery(c, commentQuery);
    requireParts(query.part, ['id', 'snippet']);
    const filter = oneFilter(query, ['parentId', 'id']);
    if (filter === 'id') refuseBeside(c, 'id', ['maxResults', 'pageToken']);
    const { id: ids, parentId } = query;
    if (parentId !== undefined && !library.comments.has(parentId)) throw notFound('comment', 'parentId');
    const comments =
      parentId === undefined
        ? (ids ?? []).flatMap((id) => library.comments.get(id) ?? [])
        : library.repliesTo(parentId);
    if (ids !== undefined && comments.length < ids.length) throw notFound('comment', 'id');
    const render = (comment: Comment) => renderComment(library, comment, query.textFormat);
    const list = { kind: 'commentListResponse', items: comments, render };
    return c.json(listPage(list, pageOfFilter(filter, query, list.items.length), { onlyForward: true }));
  });

  routes.post('/youtube/v3/comments', needs('comments', 50), async (c) => {
    const { part } = readQuery(c, z.strictObject({ part: commaList }));
    requireParts(part, ['id', 'snippet']);
    const { snippet } = await readBody(c, replyBody);
    if (snippet.parentId === '') throw badBody('comment', 'parentIdMissing', 'The reply has no parent.');
    const text = requireText('comment', snippet.textOriginal);
    const parent = library.comments.get(snippet.parentId);
    if (parent === undefined || parent.parentId !== undefined) throw notFound('parentComment', 'parentId');
    const own = ownChannel(c);
    const { id: parentId, videoId } = parent;
    requireComments(library, { id: videoId });
    const id = `${parentId}.${library.newId('', 22)}`;
    const author = { authorChannelId: own.id, likes: 0, publishedAt: library.now() };
    const comment: Comment = { id, videoId, parentId, text, ...author };
    keep(library, comment);
    return c.json(renderComment(library, comment, 'html'));
  });

  routes.put('/youtube/v3/comments', needs('comments', 50), async (c) => {
    const { part } = readQuery(c, z.strictObject({ part: commaList }));
    requireParts(part, ['id', 'snippet']);
    const { id, snippet } = await readBody(c, changeBody);
    const text = requireText('comment', snippet.textOriginal);
    const comment = requireOwn(library, id, ownChannel(c));
    Object.assign(comment, { text, updatedAt: library.now() });
    return c.json(renderComment(library, comment, 'html'));
  });

  routes.delete('/youtube/v3/comments', needs('comments', 50), (c) => {
    const { id } = readQuery(c, z.strictObject({ id: z.string() }));
    library.removeComment(requireOwn(library, id, ownChannel(c)).id);
    return c.body(null, 204);
  });

  routes.post('/youtube/v3/comments/setModerationStatus', needs('comments', 50), (c) => {
    const { id: ids, moderationStatus, banAuthor } = readQuery(c, moderationQuery);
    if (banAuthor && moderationStatus !== 'rejected')
      throw badParameter('banAuthor', 'Only the author of a rejected comment is banned.', 'banWithoutReject');
    if (ids.length > 50) throw badParameter('id', 'At most 50 ids.');
    const own = ownChannel(c);
    const comments = ids.flatMap((id) => library.comments.get(id) ?? []);
    const isOwn = comments.every(({ videoId }) => library.videos.get(videoId)?.channelId === own.id);
    if (comments.length < ids.length || !isOwn)
      throw forbidden('comment', 'forbidden', 'The account may not moderate one of these comments.');
    for (const comment of comments) {
      comment.isHeld = moderationStatus === 'heldForReview';
      if (moderationStatus === 'rejected') library.removeComment(comment.id);
      if (banAuthor) library.banned.add(`${own.id}/${comment.authorChannelId}`);
    }
    return c.body(null, 204);
  });
  return routes;
}

/** Whether a comment is hidden with this status; the stand-in takes nothing for spam by itself. */
function isHeldFor(comment: Comment, status: string): boolean {
  return status === 'heldForReview' && comment.isHeld === true;
}

/** @throws VideoRefusal commentTextRequired, commentTextTooLong */
function requireText(domain: string, given: string): string {
  const text = given.trim();
  if (text === '') throw badBody(domain, 'commentTextRequired', 'The comment has no text.');
  if (text.length > MAX_TEXT)
    throw badBody(domain, 'commentTextTooLong', 'The text of the comment is too long.');
  return text;
}

/** @throws VideoRefusal commentNotFound, forbidden */
function requireOwn(library: Library, id: string, own: { id: string }): Comment {
  const comment = library.comments.get(id);
  if (comment === undefined) throw notFound('comment', 'id');
  if (comment.authorChannelId !== own.id)
    throw forbidden('comment', 'forbidden', 'The account may change only its own comments.');
  return comment;
}

/** A comment of an author whom the channel has banned is rejected at once. */
function keep(library: Library, comment: Comment): void {
  const owner = library.videos.get(comment.videoId)?.channelId ?? '';
  if (!library.banned.has(`${owner}/${comment.authorChannelId}`)) library.comments.set(comment.id, comment);
}

/** @throws VideoRefusal commentsDisabled */
function requireComments(library: Library, video: { id: string }): void {
  if (library.videos.get(video.id)?.allowsComments === false)
    throw forbidden('commentThread', 'commentsDisabled', 'Comments are turned off for this video.');
}

function renderThread(library: Library, comment: Comment, parts: readonly string[]) {
  const replies = library.repliesTo(comment.id);
  return withParts({ kind: 'commentThread', id: comment.id }, parts, {
    snippet: () => ({
      channelId: library.videos.get(comment.videoId)?.channelId ?? '',
      videoId: comment.videoId,
      topLevelComment: renderComment(library, comment, 'html'),
      canReply: true,
      totalReplyCount: replies.length,
      isPublic: true,
    }),
    replies: () =>
      replies.length === 0
        ? undefined
        : { comments: replies.slice(-SHOWN_REPLIES).map((reply) => renderComment(library, reply, 'html')) },
  });
}

function renderComment(library: Library, comment: Comment, format: 'html' | 'plainText') {
  const author = library.channels.get(comment.authorChannelId);
  const at = timestamp(comment.publishedAt);
  const snippet = {
    channelId: library.videos.get(comment.videoId)?.channelId ?? '',
    videoId: comment.videoId,
    textDisplay: format === 'html' ? asHtml(comment.text) : comment.text,
    textOriginal: comment.text,
    ...(comment.parentId !== undefined && { parentId: comment.parentId }),
    authorDisplayName: author?.handle ?? '',
    authorProfileImageUrl: `https://pictures.example/${comment.authorChannelId}/default.jpg`,
    authorChannelUrl: `http://www.youtube.com/${author?.handle ?? ''}`,
    authorChannelId: { value: comment.authorChannelId },
    canRate: true,
    viewerRating: 'none',
    likeCount: comment.likes,
    publishedAt: at,
    updatedAt: timestamp(comment.updatedAt ?? comment.publishedAt),
  };
  const { id } = comment;
  return { kind: 'youtube#comment', etag: etagOf([id, snippet]), id, snippet };
}

function asHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replaceAll('"', '&quot;').replaceAll("'", '&#39;').replaceAll('\n', '<br>');
}
