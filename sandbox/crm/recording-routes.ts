/** Recordings of meetings and what was said in them, and files of records: reading only. */
import { Hono } from 'hono';
import { z } from 'zod';
import { needs, pageAfter, queryNumber, readQuery, type CrmEnv } from './exchange.ts';
import type { CallRecording } from './model.ts';
import { notFound } from './refusal.ts';
import type { Workspace } from './workspace.ts';
import { meetingOf } from './workspace-routes.ts';

const READ = needs('meeting:read', 'call_recording:read');
const READ_FILES = needs('file:read', 'object_configuration:read', 'record_permission:read');

/** Segments of a page of a transcript. */
const SEGMENTS = 4;

const cursor = z
  .string()
  .regex(/^after-\d+$/, 'was not given out by this list')
  .optional();
const pageShape = z.strictObject({ limit: queryNumber.pipe(z.int().min(1).max(200)).default(50), cursor });
const transcriptShape = z.strictObject({ cursor });
const filesShape = pageShape.extend({
  object: z.string(),
  record_id: z.uuid(),
  storage_provider: z.enum(['attio', 'dropbox', 'box', 'google-drive', 'microsoft-onedrive']).optional(),
  parent_folder_id: z.uuid().optional(),
});

/** `/v2/meetings/…/call_recordings…`, `/v2/files…` */
export function recordingRoutes(workspace: Workspace): Hono<CrmEnv> {
  const routes = new Hono<CrmEnv>();
  const base = '/v2/meetings/:meeting/call_recordings' as const;
  const recordingOf = (meeting: string, id: string): CallRecording => {
    meetingOf(workspace, meeting);
    const found = workspace.recordings.find((one) => one.id.call_recording_id === id);
    if (found?.id.meeting_id !== meeting) throw notFound('call recording', id);
    return found;
  };

  routes.get(base, READ, (c) => {
    const { meeting_id } = meetingOf(workspace, c.req.param('meeting')).id;
    const found = workspace.recordings.filter(({ id }) => id.meeting_id === meeting_id);
    const { limit, cursor: after } = readQuery(c, pageShape);
    return c.json(pageAfter(found.map(shownRecording), after, limit));
  });
  routes.get(`${base}/:recording`, READ, (c) => {
    const recording = recordingOf(c.req.param('meeting'), c.req.param('recording'));
    const { segments } = recording;
    const transcript =
      recording.status === 'completed' ? { segments, raw_transcript: rawTranscript(recording) } : null;
    return c.json({ data: { ...shownRecording(recording), transcript } });
  });
  routes.get(`${base}/:recording/transcript`, READ, (c) => {
    const recording = recordingOf(c.req.param('meeting'), c.req.param('recording'));
    if (recording.status !== 'completed')
      throw notFound('transcript of the call recording', c.req.param('recording'));
    const { cursor: after } = readQuery(c, transcriptShape);
    const { data: transcript, pagination } = pageAfter(recording.segments, after, SEGMENTS);
    const { id, web_url } = recording;
    const raw_transcript = rawTranscript(recording);
    return c.json({ data: { id, transcript, raw_transcript, web_url }, pagination });
  });

  routes.get('/v2/files', READ_FILES, (c) => {
    const query = readQuery(c, filesShape);
    const { record_id } = workspace.record(workspace.object(query.object), query.record_id).id;
    const found = workspace.files.filter(
      (file) =>
        file.record_id === record_id &&
        (query.storage_provider === undefined || file.storage_provider === query.storage_provider) &&
        file.parent_folder_id === (query.parent_folder_id ?? null),
    );
    return c.json(pageAfter(found, query.cursor, query.limit));
  });
  routes.get('/v2/files/:file', READ_FILES, (c) => {
    const file = workspace.files.find(({ id }) => id.file_id === c.req.param('file'));
    if (file === undefined) throw notFound('file', c.req.param('file'));
    return c.json({ data: file });
  });
  return routes;
}

function shownRecording(recording: CallRecording): Omit<CallRecording, 'segments'> {
  const { segments: _, ...shown } = recording;
  return shown;
}

function rawTranscript({ segments }: CallRecording): string {
  return segments.map(({ speaker, speech }) => `${speaker.name}: ${speech}`).join('\n');
}
