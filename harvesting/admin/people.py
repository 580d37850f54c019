"""Accounts and groups in the admin. Roles are given on the people page instead, which records the reason."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest

from harvesting.admin.base import AuditedAdmin, BoundedPaginator, ReadOnly

admin.site.unregister([User, Group])


@admin.register(User)
class PersonAdmin(AuditedAdmin, UserAdmin[User]):
    """Edits names, addresses and passwords. Roles are changed and accounts closed on the people page."""

    list_display = ("username", "email", "is_superuser", "is_active", "last_login")
    paginator = BoundedPaginator
    show_full_result_count = False
    readonly_fields = (
        "is_active",
        "is_staff",
        "is_superuser",
        "groups",
        "user_permissions",
        "last_login",
        "date_joined",
    )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False  # accounts are closed instead, so that the audit trail keeps naming the person


@admin.register(Group)
class GroupAdmin(ReadOnly, DjangoGroupAdmin):
    """The groups behind the roles, read-only: `manage.py setup_roles` creates them."""
