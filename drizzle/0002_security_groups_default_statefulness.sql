CREATE TABLE "security_groups_default_statefulness" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255),
	"stateful" boolean NOT NULL,
	CONSTRAINT "security_groups_default_statefulness_once" UNIQUE NULLS NOT DISTINCT("project_id")
);
