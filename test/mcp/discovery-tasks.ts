/**
 * Plainly worded tasks and the tool that is right for each: what the search of `--discovery` is
 * measured by. Words of the tool's name do not occur in its task.
 */
export const DISCOVERY_TASKS: readonly { task: string; tools: readonly string[] }[] = [
  {
    task: 'Is the SQL statement I launched in the background done yet?',
    tools: ['warehouse_get_query_status'],
  },
  { task: 'Which sales opportunities are still open this quarter?', tools: ['crm_list_deals'] },
  { task: 'Stop following this cooking channel on YouTube.', tools: ['video_subscriptions_delete'] },
  {
    task: "This client's team quit our product, so erase their tenant from the sales database.",
    tools: ['crm_delete_workspace_record'],
  },
  { task: 'Which stages can a sales opportunity go through?', tools: ['crm_list_attribute_statuses'] },
  {
    task: "Put this clip into the 'Spring campaign' bundle whose statistics we track.",
    tools: ['video_analytics_group_item_insert'],
  },
  {
    task: "Rename our bundle of clips for joint statistics to 'Summer campaign'.",
    tools: ['video_analytics_groups_update'],
  },
  { task: 'Take my upload of last night off YouTube for good.', tools: ['video_videos_delete'] },
  {
    task: "Which clips are in our 'Spring campaign' statistics bundle?",
    tools: ['video_analytics_group_items_list'],
  },
  { task: "Write down a summary of today's call on the Acme account.", tools: ['crm_create_note'] },
  { task: "Move Monday's team meeting to 3 pm and invite Peter too.", tools: ['mail_update_calendar_event'] },
  { task: 'Let me read the full customer call write-up that has this id.', tools: ['crm_get_note'] },
  {
    task: "Start a new private collection on YouTube named 'Road trip songs'.",
    tools: ['video_playlist_insert'],
  },
  {
    task: 'What foreign key rules are defined across the whole SALES database?',
    tools: ['warehouse_get_referential_constraints'],
  },
  { task: 'Read these three URLs and tell me what they say.', tools: ['websearch_crawl'] },
  { task: "Put this prospect in our 'Hot leads' collection.", tools: ['crm_add_to_list'] },
  {
    task: 'As whom am I signed in to the sales system, and what may I do?',
    tools: ['crm_get_current_token_info'],
  },
  { task: 'Add Maria Lopez as a new contact in our customer base.', tools: ['crm_create_person'] },
  {
    task: 'How far along is the gathering of that collection of startup sites online?',
    tools: ['websearch_get_webset'],
  },
  {
    task: 'How has the stage of this sales opportunity changed over time?',
    tools: ['crm_get_record_attribute_values'],
  },
  { task: 'How tall is Mont Blanc? Just tell me, with online sources.', tools: ['websearch_answer'] },
  { task: 'How many followers does the YouTuber @mkbhd have?', tools: ['video_channels_list'] },
  { task: "How is the 'Hot leads' collection set up, and who may edit it?", tools: ['crm_get_list'] },
  { task: 'How many views did my YouTube channel have per day in March?', tools: ['video_analytics_query'] },
  {
    task: "What choices are in the dropdown for a customer's industry?",
    tools: ['crm_list_attribute_options'],
  },
  { task: 'Abort that SQL statement, it has been running for an hour.', tools: ['warehouse_cancel_query'] },
  { task: 'What fields does a contact have in our customer system?', tools: ['crm_list_attributes'] },
  {
    task: 'From now on, have bulk statistics files of our YouTube channel made every day.',
    tools: ['video_reporting_create_job'],
  },
  { task: 'Find the customer whose name is spelled something like Jonsen.', tools: ['crm_search_records'] },
  { task: 'Give this YouTube clip a thumbs up for me.', tools: ['video_videos_rate'] },
  { task: 'Get rid of the write-up I saved on the Acme account by mistake.', tools: ['crm_delete_note'] },
  { task: 'What to-dos are still unfinished for this customer?', tools: ['crm_list_tasks'] },
  {
    task: 'Someone closed their login in our app; erase that login from the sales database.',
    tools: ['crm_delete_user_record'],
  },
  { task: 'Who is allowed to read the payroll table in SQL?', tools: ['warehouse_show_grants'] },
  { task: 'Did I already give this YouTube clip a thumbs up?', tools: ['video_videos_get_rating'] },
  {
    task: 'What kinds of things can our customer database hold, our own kinds too?',
    tools: ['crm_list_objects'],
  },
  { task: "Which prospects are in our 'Hot leads' collection at the moment?", tools: ['crm_list_entries'] },
  {
    task: 'Where does this one appointment in my schedule take place, and who is coming?',
    tools: ['mail_get_calendar_event'],
  },
  {
    task: 'Stop our customer system pinging that old server whenever a contact changes.',
    tools: ['crm_delete_webhook'],
  },
  { task: "Write 'Great tutorial!' under that YouTube clip.", tools: ['video_comment_threads_insert'] },
  { task: 'Which YouTube channels do I follow?', tools: ['video_subscriptions_list'] },
  { task: "Who wrote this remark on the customer's page, and is it settled?", tools: ['crm_get_comment'] },
  { task: "Put calling the Acme buyer back on Anna's to-do, due Friday.", tools: ['crm_create_task'] },
  { task: 'Which other sites are like stripe.com?', tools: ['websearch_find_similar'] },
  { task: 'Which other SQL tables point at CUSTOMERS?', tools: ['warehouse_show_imported_exported_keys'] },
  {
    task: 'What datasets are there in the PUBLIC schema of our SALES database?',
    tools: ['warehouse_get_tables'],
  },
  { task: 'What is trending on YouTube in Japan right now?', tools: ['video_videos_list'] },
  {
    task: 'Open the entry with this id of Invoices, our custom type in the sales system.',
    tools: ['crm_get_record'],
  },
  {
    task: 'Which calls and appointments with this customer are logged in our sales system?',
    tools: ['crm_list_meetings'],
  },
  { task: 'Give me every entry of our custom Projects type that is active.', tools: ['crm_list_records'] },
];
