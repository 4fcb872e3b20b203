/** Caption tracks and their files. */
import { Hono } from 'hono';
import { z } from 'zod';
import { etagOf } from './answers.ts';
import { commaList, needs, readQuery, requireParts, type VideoEnv } from './exchange.ts';
import type { Library } from './library.ts';
import { timestamp, type CaptionTrack } from './model.ts';
import { forbidden, notFound, VideoRefusal } from './refusal.ts';

const listQuery = z.strictObject({ part: commaList, videoId: z.string(), id: commaList.optional() });

const fileQuery = z.strictObject({
  tfmt: z.enum(['sbv', 'scc', 'srt', 'ttml', 'vtt']).default('sbv'),
  tlang: z.string().optional(),
});

/** Seconds that a line is shown. */
const LINE_SECONDS = 4;

/** `/youtube/v3/captions`, `/captions/{id}` */
export function captionRoutes(library: Library): Hono<VideoEnv> {
  const routes = new Hono<VideoEnv>();

  routes.get('/youtube/v3/captions', needs('captions', 50), (c) => {
    const query = readQuery(c, listQuery);
    requireParts(query.part, ['id', 'snippet']);
    const video = library.video(query.videoId, c.get('channel'), 'videoId');
    const tracks = library.captions.filter(({ videoId }) => videoId === video.id);
    if (query.id?.some((id) => tracks.every((track) => track.id !== id)) === true)
      throw notFound('caption', 'id');
    const items = tracks.filter(({ id }) => query.id?.includes(id) ?? true).map(renderCaption);
    return c.json({ kind: 'youtube#captionListResponse', etag: etagOf(items), items });
  });

  routes.get('/youtube/v3/captions/:id', needs('captions', 200), (c) => {
    const { tfmt, tlang } = readQuery(c, fileQuery);
    const track = library.captions.find(({ id }) => id === c.req.param('id'));
    if (track === undefined) throw notFound('caption', 'id');
    if (library.videos.get(track.videoId)?.channelId !== c.get('channel')?.id)
      throw forbidden('caption', 'forbidden', 'The account may not download this caption track.');
    const file = fileOf(library, track, { format: tfmt, language: tlang });
    if (track.status === 'failed' || file === undefined)
      throw new VideoRefusal(400, 'couldNotConvert', 'The track cannot be converted as asked.', {
        domain: 'youtube.caption',
      });
    return c.body(file, 200, { 'content-type': 'application/octet-stream' });
  });
  return routes;
}

/** Title and description of the video, sentence by sentence; `undefined` for a form that is not made here. */
function fileOf(
  library: Library,
  track: CaptionTrack,
  { format, language }: { format: string; language: string | undefined },
): string | undefined {
  const { title, description } = library.videos.get(track.videoId)?.snippet ?? { title: '', description: '' };
  const tongue = language ?? track.language;
  const lines = [`${title}.`, ...description.split(/(?<=[.!?]) /)].map((line) =>
    tongue === 'en' ? line : `[${tongue}] ${line}`,
  );
  const cues = lines.map((line, place) => ({
    line,
    from: place * LINE_SECONDS,
    to: (place + 1) * LINE_SECONDS,
  }));
  switch (format) {
    case 'srt':
      return cues
        .map(({ line, from, to }, i) => `${i + 1}\n${at(from, ',')} --> ${at(to, ',')}\n${line}\n`)
        .join('\n');
    case 'vtt':
      return `WEBVTT\n\n${cues.map(({ line, from, to }) => `${at(from, '.')} --> ${at(to, '.')}\n${line}\n`).join('\n')}`;
    case 'sbv':
      return cues.map(({ line, from, to }) => `${at(from, '.')},${at(to, '.')}\n${line}\n`).join('\n');
    default:
      return undefined;
  }
}

function at(seconds: number, point: ',' | '.'): string {
  return `${new Date(seconds * 1000).toISOString().slice(11, 19)}${point}000`;
}

function renderCaption({ id, videoId, updatedAt, language, name, trackKind, status }: CaptionTrack) {
  const snippet = {
    videoId,
    lastUpdated: timestamp(updatedAt),
    trackKind,
    language,
    name,
    audioTrackType: 'unknown',
    isCC: false,
    isLarge: false,
    isEasyReader: false,
    isDraft: false,
    isAutoSynced: false,
    status,
    ...(status === 'failed' && { failureReason: 'processingFailed' }),
  };
  return { kind: 'youtube#caption', etag: etagOf([id, snippet]), id, snippet };
}
