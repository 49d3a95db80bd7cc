-- A database as version 1 of the tables left it: SQLite's text; PostgreSQL differs in the type of `number` alone.
CREATE TABLE message_history_messages (
	session INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (session, position, revision)
);
INSERT INTO "message_history_messages" VALUES(1,0,1,'{"role": "user", "content": [{"type": "text", "text": "Weather in Oslo and Rome?"}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,1,2,'{"role": "assistant", "content": [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "a", "name": "weather", "input": {"city": "Oslo"}}, {"type": "tool_use", "id": "b", "name": "weather", "input": {"city": "Rome"}}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,2,3,'{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "rain"}]}, {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": "[No result is recorded for this call. The tool may or may not have run.]"}], "is_error": true, "mark": {"kind": "stub", "reason": "not_recorded"}}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,2,4,'{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "rain"}]}, {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": "sun"}]}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,3,5,'{"role": "assistant", "content": [{"type": "text", "text": "Rain and sun."}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,4,6,'{"role": "user", "content": [{"type": "text", "text": "Thanks! "}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,5,7,'{"role": "assistant", "content": [{"type": "text", "text": "You are welcome."}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(1,6,8,'{"role": "user", "content": [{"type": "text", "text": "And it''s 5 o''clock, ü?"}, {"type": "system", "text": "Be kind."}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(2,0,1,'{"role": "user", "content": [{"type": "text", "text": "go"}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(2,1,1,'{"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "run", "input": {}}], "native": 1}');
INSERT INTO "message_history_messages" VALUES(2,2,1,'{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "[No result is recorded for this call. The tool may or may not have run.]"}], "is_error": true, "mark": {"kind": "stub", "reason": "not_recorded"}}], "native": 1}');
CREATE TABLE message_history_repairs (
	session INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	message INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (session, position, revision)
);
INSERT INTO "message_history_repairs" VALUES(1,0,6,4,'{"code": "blank_text_dropped", "index": 4, "removed": [{"block": {"type": "text", "text": " "}}]}');
INSERT INTO "message_history_repairs" VALUES(2,0,1,2,'{"code": "result_stubbed", "index": 2, "added": [{"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "[No result is recorded for this call. The tool may or may not have run.]"}], "is_error": true, "mark": {"kind": "stub", "reason": "not_recorded"}}], "detail": "call ''1'' of ''run'', not_recorded"}');
CREATE TABLE message_history_schema (
	version INTEGER NOT NULL
);
INSERT INTO "message_history_schema" VALUES(1);
CREATE TABLE message_history_sessions (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	messages INTEGER NOT NULL, 
	repairs INTEGER NOT NULL, 
	system TEXT, 
	UNIQUE (id)
);
INSERT INTO "message_history_sessions" VALUES(1,'trip',8,7,1,'{"role": "system", "content": [{"type": "system", "text": "Be brief."}], "native": 1}');
INSERT INTO "message_history_sessions" VALUES(2,'left open',1,3,1,NULL);
