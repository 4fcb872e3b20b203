/**
 * Handlers: code for the tools that the catalog grammar cannot express. Nothing else may call a provider for a tool.
 *
 * Registered by the name a catalog entry uses; a test checks that each has the other.
 */
import type { ToolHandler } from '../catalog/model/types.ts';
import { aggregateRecords } from './crm/aggregate-records.ts';
import { addToList, upsertListEntry } from './crm/add-to-list.ts';
import { createAttribute } from './crm/create-attribute.ts';
import { createComment } from './crm/create-comment.ts';
import { createRecord } from './crm/create-record.ts';
import { getCurrentTokenInfo } from './crm/get-current-token-info.ts';
import { listLists } from './crm/list-lists.ts';
import { listMeetings } from './crm/list-meetings.ts';
import { listEntries, listRecords } from './crm/list-records.ts';
import { listRecordEntries } from './crm/list-record-entries.ts';
import { listThreads } from './crm/list-threads.ts';
import { listWebhooks } from './crm/list-webhooks.ts';
import { listWorkspaceMembers } from './crm/list-workspace-members.ts';
import { searchRecords } from './crm/search-records.ts';
import { updateListEntry } from './crm/update-list-entry.ts';
import { updateRecord } from './crm/update-record.ts';
import { upsertRecord } from './crm/upsert-record.ts';
import { createWebhook, updateWebhook } from './crm/write-webhook.ts';
import {
  declineCalendarEvent,
  forwardCalendarEvent,
  tentativelyAcceptCalendarEvent,
} from './mail/answer-invitation.ts';
import { addAttachment, getAttachment } from './mail/attachments.ts';
import { findMeetingTimes, getSchedules } from './mail/availability.ts';
import { createContact, searchContacts, searchPeople, updateContact } from './mail/contacts.ts';
import { createCalendarEvent } from './mail/create-calendar-event.ts';
import { listCalendarEvents } from './mail/list-calendar-events.ts';
import {
  listCalendarEventOccurrences,
  listCalendarView,
  listSharedCalendarView,
} from './mail/list-calendar-view.ts';
import { listMessages } from './mail/list-messages.ts';
import { searchMessages } from './mail/search-messages.ts';
import {
  createDraft,
  createForwardDraft,
  forwardMessage,
  replyToMessage,
  sendMessage,
  updateDraft,
} from './mail/send-message.ts';
import { updateCalendarEvent } from './mail/update-calendar-event.ts';
import { updateMailboxSettings } from './mail/update-mailbox-settings.ts';
import { updateMessage } from './mail/update-message.ts';
import {
  analyticsAudience,
  analyticsOverview,
  analyticsTopVideos,
  analyticsVideo,
} from './video/analytics-presets.ts';
import { downloadCaption } from './video/download-caption.ts';
import { insertCommentThread } from './video/insert-comment-thread.ts';
import { listReports } from './video/list-reports.ts';
import { updateChannel } from './video/update-channel.ts';
import { updatePlaylistItem } from './video/update-playlist-item.ts';
import { updatePlaylist } from './video/update-playlist.ts';
import { updateVideo } from './video/update-video.ts';
import { askAnalyst } from './warehouse/ask-analyst.ts';
import { describeTable } from './warehouse/describe-table.ts';
import { executeQuery } from './warehouse/execute-query.ts';
import { explainQuery } from './warehouse/explain-query.ts';
import { getColumns } from './warehouse/get-columns.ts';
import { getReferentialConstraints } from './warehouse/get-referential-constraints.ts';
import { getSchemata } from './warehouse/get-schemata.ts';
import { getTableConstraints } from './warehouse/get-table-constraints.ts';
import { getTables } from './warehouse/get-tables.ts';
import { listQueries } from './warehouse/list-queries.ts';
import { query } from './warehouse/query.ts';
import { sampleRows } from './warehouse/sample-rows.ts';
import { listSearchServices, search } from './warehouse/search-services.ts';
import { describeSemanticView, listSemanticViews } from './warehouse/semantic-views.ts';
import { showDatabasesSchemas } from './warehouse/show-databases-schemas.ts';
import { showGrants } from './warehouse/show-grants.ts';
import { showImportedExportedKeys } from './warehouse/show-imported-exported-keys.ts';
import { showPrimaryKeys } from './warehouse/show-primary-keys.ts';
import { showTables } from './warehouse/show-tables.ts';
import { showWarehouses } from './warehouse/show-warehouses.ts';
import { answer } from './websearch/answer.ts';
import { cancelWebset, updateWebset } from './websearch/change-webset.ts';
import { findSimilar } from './websearch/find-similar.ts';
import { getWebset } from './websearch/get-webset.ts';
import { listWebsets } from './websearch/list-websets.ts';
import { research } from './websearch/research.ts';
import { createWebsetMonitor, createWebsetSearch, previewWebset } from './websearch/start-webset-search.ts';
import { createWebsetEnrichment, updateWebsetEnrichment } from './websearch/webset-enrichment.ts';
import { websets } from './websearch/websets.ts';

/** Handler by `<connector>/<name>`. */
export const handlers: ReadonlyMap<string, ToolHandler> = new Map<string, ToolHandler>([
  ['crm/add-to-list', addToList],
  ['crm/aggregate-records', aggregateRecords],
  ['crm/create-attribute', createAttribute],
  ['crm/create-comment', createComment],
  ['crm/create-company', createRecord('companies')],
  ['crm/create-deal', createRecord('deals')],
  ['crm/create-person', createRecord('people')],
  ['crm/create-record', createRecord()],
  ['crm/create-user-record', createRecord('users')],
  ['crm/create-webhook', createWebhook],
  ['crm/create-workspace-record', createRecord('workspaces')],
  ['crm/get-current-token-info', getCurrentTokenInfo],
  ['crm/list-companies', listRecords('companies')],
  ['crm/list-deals', listRecords('deals')],
  ['crm/list-entries', listEntries],
  ['crm/list-lists', listLists],
  ['crm/list-meetings', listMeetings],
  ['crm/list-people', listRecords('people')],
  ['crm/list-record-entries', listRecordEntries],
  ['crm/list-records', listRecords()],
  ['crm/list-threads', listThreads],
  ['crm/list-user-records', listRecords('users')],
  ['crm/list-webhooks', listWebhooks],
  ['crm/list-workspace-members', listWorkspaceMembers],
  ['crm/list-workspace-records', listRecords('workspaces')],
  ['crm/search-records', searchRecords],
  ['crm/update-company', updateRecord('companies')],
  ['crm/update-deal', updateRecord('deals')],
  ['crm/update-list-entry', updateListEntry],
  ['crm/update-person', updateRecord('people')],
  ['crm/update-record', updateRecord()],
  ['crm/update-user-record', updateRecord('users')],
  ['crm/update-webhook', updateWebhook],
  ['crm/update-workspace-record', updateRecord('workspaces')],
  ['crm/upsert-company', upsertRecord('companies')],
  ['crm/upsert-deal', upsertRecord('deals')],
  ['crm/upsert-list-entry', upsertListEntry],
  ['crm/upsert-person', upsertRecord('people')],
  ['crm/upsert-record', upsertRecord()],
  ['crm/upsert-user-record', upsertRecord('users')],
  ['crm/upsert-workspace-record', upsertRecord('workspaces')],
  ['mail/add-attachment', addAttachment],
  ['mail/create-calendar-event', createCalendarEvent],
  ['mail/create-contact', createContact],
  ['mail/create-draft', createDraft],
  ['mail/create-forward-draft', createForwardDraft],
  ['mail/decline-calendar-event', declineCalendarEvent],
  ['mail/find-meeting-times', findMeetingTimes],
  ['mail/forward-calendar-event', forwardCalendarEvent],
  ['mail/forward-message', forwardMessage],
  ['mail/get-attachment', getAttachment],
  ['mail/get-schedules', getSchedules],
  ['mail/list-calendar-event-occurrences', listCalendarEventOccurrences],
  ['mail/list-calendar-events', listCalendarEvents],
  ['mail/list-calendar-view', listCalendarView],
  ['mail/list-messages', listMessages],
  ['mail/list-shared-calendar-view', listSharedCalendarView],
  ['mail/reply-to-message', replyToMessage],
  ['mail/search-contacts', searchContacts],
  ['mail/search-messages', searchMessages],
  ['mail/search-people', searchPeople],
  ['mail/send-message', sendMessage],
  ['mail/tentatively-accept-calendar-event', tentativelyAcceptCalendarEvent],
  ['mail/update-calendar-event', updateCalendarEvent],
  ['mail/update-contact', updateContact],
  ['mail/update-draft', updateDraft],
  ['mail/update-mailbox-settings', updateMailboxSettings],
  ['mail/update-message', updateMessage],
  ['video/analytics-audience', analyticsAudience],
  ['video/analytics-overview', analyticsOverview],
  ['video/analytics-top-videos', analyticsTopVideos],
  ['video/analytics-video', analyticsVideo],
  ['video/download-caption', downloadCaption],
  ['video/insert-comment-thread', insertCommentThread],
  ['video/list-reports', listReports],
  ['video/update-channel', updateChannel],
  ['video/update-playlist', updatePlaylist],
  ['video/update-playlist-item', updatePlaylistItem],
  ['video/update-video', updateVideo],
  ['warehouse/ask-analyst', askAnalyst],
  ['warehouse/describe-semantic-view', describeSemanticView],
  ['warehouse/describe-table', describeTable],
  ['warehouse/execute-query', executeQuery],
  ['warehouse/explain-query', explainQuery],
  ['warehouse/get-columns', getColumns],
  ['warehouse/get-referential-constraints', getReferentialConstraints],
  ['warehouse/get-schemata', getSchemata],
  ['warehouse/get-table-constraints', getTableConstraints],
  ['warehouse/get-tables', getTables],
  ['warehouse/list-queries', listQueries],
  ['warehouse/list-search-services', listSearchServices],
  ['warehouse/list-semantic-views', listSemanticViews],
  ['warehouse/query', query],
  ['warehouse/sample-rows', sampleRows],
  ['warehouse/search', search],
  ['warehouse/show-databases-schemas', showDatabasesSchemas],
  ['warehouse/show-grants', showGrants],
  ['warehouse/show-imported-exported-keys', showImportedExportedKeys],
  ['warehouse/show-primary-keys', showPrimaryKeys],
  ['warehouse/show-tables', showTables],
  ['warehouse/show-warehouses', showWarehouses],
  ['websearch/answer', answer],
  ['websearch/cancel-webset', cancelWebset],
  ['websearch/create-webset-enrichment', createWebsetEnrichment],
  ['websearch/create-webset-monitor', createWebsetMonitor],
  ['websearch/create-webset-search', createWebsetSearch],
  ['websearch/find-similar', findSimilar],
  ['websearch/get-webset', getWebset],
  ['websearch/list-websets', listWebsets],
  ['websearch/preview-webset', previewWebset],
  ['websearch/research', research],
  ['websearch/update-webset', updateWebset],
  ['websearch/update-webset-enrichment', updateWebsetEnrichment],
  ['websearch/websets', websets],
]);
