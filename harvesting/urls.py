"""The addresses of harvesting outside the admin."""

from django.urls import path

from harvesting import views

urlpatterns = [path("websub/<str:callback>", views.websub_callback, name="websub")]
